const data = JSON.parse(byId("data").textContent);
const check = data.check, skeleton = data.skeleton;
const result = readTrack(data.result, skeleton.points, data.grain);
const own = data.own.map((track) => readTrack(track, skeleton.points, data.grain));
const size = extentOf(rowAt(result, result.first));
const camera = new Camera(size);
const stage = new Stage(byId("result"), camera, skeleton);
const beside = own.length ? new Stage(byId("own"), camera, skeleton) : null;
const joints = new Map(skeleton.joints);
const clock = new Clock(result, data.fps, draw);
let chosen = -1, over = false, follows = true, waiting = false;

function placeAt(point, frame) {
  const row = rowAt(result, Math.max(result.first, Math.min(result.last, frame)));
  return [row[3 * point], row[3 * point + 1], row[3 * point + 2]];
}

// What the camera looks at: the hips, without their bobbing.
function target(frame) {
  const reach = Math.max(1, Math.round(0.3 * data.fps)), mean = [0, 0];
  for (let i = -reach; i <= reach; i++) {
    const [x, y] = placeAt(skeleton.followed, frame + i);
    mean[0] += x / (2 * reach + 1);
    mean[1] += y / (2 * reach + 1);
  }
  return [mean[0], mean[1], height];
}
const height = 0.5 * (() => {
  let most = -Infinity;
  const row = rowAt(result, result.first);
  for (let i = 2; i < row.length; i += 3) most = Math.max(most, row[i]);
  return Math.min(most, 4 * size);
})();
const way = [target(result.first), target(result.last)];
if (Math.hypot(way[1][0] - way[0][0], way[1][1] - way[0][1]) > 0.5 * size) {
  camera.home.yaw = Math.atan2(way[1][1] - way[0][1], way[1][0] - way[0][0]) + 0.45;
  camera.reset();
}

function draw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; paint(); });
}

function paint() {
  const frame = clock.frame, row = rowAt(result, frame);
  const part = own.find((track) => rowAt(track, frame) && frame <= track.last + 1e-6) || null;
  const ownRow = rowAt(part, frame);
  if (follows) camera.target = target(frame);
  const fault = check.faults[chosen];
  const marked = new Set(fault && fault.bone ? [fault.bone] : []);
  stage.begin();
  if (ownRow && over) stage.pose(ownRow, { ...OWN, alpha: 0.75 });
  if (fault && joints.has(fault.bone)) {
    const reach = Math.round(0.4 * data.fps), places = [];
    for (let i = -reach; i <= reach; i++) places.push(placeAt(joints.get(fault.bone), fault.frame + i));
    stage.trail(places, "poor");
  }
  stage.pose(row, RESULT, marked);
  if (beside) {
    beside.begin();
    if (ownRow) beside.pose(ownRow, OWN);
    byId("own-label").textContent = part ? part.label : "no clip here";
  }
  byId("head").style.left = percent(frame);
  if (document.activeElement !== byId("frame")) byId("frame").value = round(frame);
  byId("rows").setAttribute("aria-valuenow", round(frame));
}

// ---- the timeline

function percent(frame) {
  const span = Math.max(result.last - result.first, 1e-6);
  return 100 * Math.max(0, Math.min(1, (frame - result.first) / span)) + "%";
}

function addRow(label, title) {
  const row = element("div", "row"), lane = element("div", "lane");
  const name = element("span", "name", label);
  name.title = title || label;
  row.append(name, lane);
  byId("tracks").append(row);
  return lane;
}

function addBar(lane, first, last, name, label) {
  const bar = element("span", name, label);
  bar.style.left = percent(first);
  bar.style.width = `calc(${percent(last)} - ${percent(first)})`;
  bar.title = `${label ? label + ": " : ""}${round(first)} to ${round(last)}`;
  lane.append(bar);
}

function drawTimeline() {
  const ticks = addRow("frame"), span = result.last - result.first;
  const rough = span / 8, power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = Math.max(1, [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough) || 1);
  ticks.classList.add("ruler");
  for (let frame = Math.ceil(result.first / step) * step; frame <= result.last + 1e-6; frame += step) {
    const tick = element("span", "tick", round(frame));
    tick.style.left = percent(frame);
    ticks.append(tick);
  }
  if (own.length) {
    const lane = addRow("clips", "The clips that it was made of");
    for (const track of own) addBar(lane, track.first, track.last, "clip", track.label);
  }
  // faults that are near each other lie below each other
  const lanes = [], near = 0.03 * span;
  const order = check.faults.map((fault, i) => i).sort((a, b) => check.faults[a].first - check.faults[b].first);
  for (const i of order) {
    const fault = check.faults[i];
    let lane = lanes.find((each) => each.until < fault.first - near);
    if (!lane) {
      lane = { row: addRow(lanes.length ? "" : "faults"), until: -Infinity };
      lanes.push(lane);
    }
    lane.until = Math.max(fault.last, fault.frame);
    const mark = element("button", "mark " + fault.level);
    mark.style.left = percent(fault.first);
    mark.style.width = `max(12px, calc(${percent(fault.last)} - ${percent(fault.first)}))`;
    mark.title = `${fault.id}: ${fault.words}`;
    mark.setAttribute("aria-label", mark.title);
    mark.dataset.fault = i;
    mark.onclick = () => choose(i);
    lane.row.append(mark);
  }
  if (!lanes.length) addRow("faults").append(element("span", "none", "none found"));
  for (const foot of check.feet) {
    const lane = addRow(foot.foot, `${foot.foot}: when it is planted`);
    for (const [first, last] of foot.spans) {
      if (last >= result.first && first <= result.last) addBar(lane, first, last, "planted", "");
    }
  }
}

// ---- what is said

function choose(index) {
  chosen = index;
  const fault = check.faults[index];
  for (const each of document.querySelectorAll("[data-fault]")) {
    each.classList.toggle("chosen", Number(each.dataset.fault) === index);
  }
  const list = byId("faults"), button = list.querySelector(".chosen");
  if (button) {
    const low = button.offsetTop, high = low + button.offsetHeight;
    list.scrollTop = Math.min(low, Math.max(list.scrollTop, high - list.clientHeight));
  }
  byId("about").replaceChildren();
  if (fault) {
    clock.play(false);
    clock.go(fault.frame);
    const about = data.about[fault.id] || {};
    for (const [title, name] of [["What it is", "what"], ["How it is measured", "measured"],
                                 ["What mends it", "mends"]]) {
      if (about[name]) byId("about").append(element("dt", "", title), element("dd", "", about[name]));
    }
  }
  draw();
}

function drawWords() {
  const verdict = check.verdict;
  const rating = verdict ? verdict.rating : check.faults.length ? "FAULTS" : "NONE";
  const badge = byId("rating");
  badge.textContent = { GOOD: "Good", FAIR: "Fair", POOR: "Poor", FAULTS: "Faults", NONE: "No faults found" }[rating];
  badge.className = "badge " + { GOOD: "good", FAIR: "fair", POOR: "poor", FAULTS: "poor", NONE: "good" }[rating];
  byId("lead").textContent = verdict ? verdict.words.join(" ") : "Not one of Inertia's results: what is measured "
    + "by itself is shown.";
  byId("made").textContent = `${data.armature} · frames ${round(check.start)} to ${round(check.end)} · `
    + `${round(data.fps)} frames a second${check.cycle ? " · a cycle" : ""}`;
  byId("result-label").textContent = result.label;
  check.faults.forEach((fault, i) => {
    const item = element("li"), button = element("button", "fault");
    button.dataset.fault = i;
    button.append(element("span", "chip " + fault.level, fault.id), element("span", "words", fault.words),
                  element("span", "at", round(fault.frame)));
    button.onclick = () => choose(i);
    item.append(button);
    byId("faults").append(item);
  });
  if (!check.faults.length) byId("faults").append(element("li", "quiet", "Nothing that is looked for is seen."));
  const reasons = new Map();
  for (const each of check.could_not_judge) {
    reasons.set(each.reason, [...(reasons.get(each.reason) || []), each.id]);
  }
  for (const [reason, ids] of reasons) {
    const item = element("li");
    item.append(element("b", "", ids.join(", ")), ": " + reason);
    byId("unjudged").append(item);
  }
  for (const note of [...data.notes, ...check.notes]) byId("unjudged").append(element("li", "", note));
  const rows = check.feet.map((foot) => [foot.foot, foot.skate_m, foot.skate_speed, foot.penetration_p95_m]);
  for (const [name, ...figures] of rows) {
    const row = element("tr");
    row.append(element("th", "", name), ...figures.map((figure, i) => element(
      "td", "", figure === null ? "" : figure.toFixed(3) + (i === 1 ? " m/s" : " m"))));
    byId("feet").append(row);
  }
  byId("figures").hidden = !rows.length;
  byId("pop").textContent = check.pop === null ? ""
    : `Highest change of the joints' velocity: ${check.pop.toPrecision(3)} m/s at frame ${round(check.pop_frame)}.`;
}

// ---- pointer and keys

function scrub(event) {
  const lane = byId("head").parentElement.getBoundingClientRect();
  const part = Math.max(0, Math.min(1, (event.clientX - lane.left) / lane.width));
  clock.play(false);
  clock.go(result.first + Math.round(part * (result.last - result.first) / result.step) * result.step);
}

function step(count) {
  clock.play(false);
  clock.go(clock.frame + count * result.step);
}

function next(way) {
  const count = check.faults.length;
  if (count) choose(chosen < 0 ? (way > 0 ? 0 : count - 1) : (chosen + way + count) % count);
}

function toggleOver() {
  over = !over;
  byId("over").setAttribute("aria-pressed", over);
  draw();
}

function toggleFollow() {
  follows = !follows;
  byId("follow").setAttribute("aria-pressed", follows);
  draw();
}

function slower() {
  clock.speed = { 1: 0.5, 0.5: 0.25, 0.25: 0.1, 0.1: 1 }[clock.speed];
  byId("speed").textContent = "× " + clock.speed;
}

const KEYS = {
  " ": () => clock.play(!clock.playing), ArrowLeft: () => step(-1), ArrowRight: () => step(1),
  Home: () => step(-Infinity), End: () => step(Infinity), n: () => next(1), p: () => next(-1),
  a: () => camera.turn(-0.12, 0), d: () => camera.turn(0.12, 0), w: () => camera.turn(0, 0.08),
  s: () => camera.turn(0, -0.08), "+": () => camera.zoom(0.9), "=": () => camera.zoom(0.9),
  "-": () => camera.zoom(1.1), r: () => camera.reset(), o: toggleOver, f: toggleFollow, x: slower,
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
  if (event.key === " " && event.target.tagName === "BUTTON") return;
  const act = event.shiftKey && event.key.startsWith("Arrow")
    ? () => step(event.key === "ArrowLeft" ? -10 : 10) : KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
  draw();
});
const rows = byId("rows");
rows.addEventListener("pointerdown", (event) => {
  if (event.target.closest("button")) return;
  rows.setPointerCapture(event.pointerId);
  scrub(event);
});
rows.addEventListener("pointermove", (event) => { if (rows.hasPointerCapture(event.pointerId)) scrub(event); });
byId("play").onclick = () => clock.play(!clock.playing);
byId("back").onclick = () => step(-1);
byId("on").onclick = () => step(1);
byId("previous").onclick = () => next(-1);
byId("next").onclick = () => next(1);
byId("over").onclick = toggleOver;
byId("follow").onclick = toggleFollow;
byId("speed").onclick = slower;
byId("frame").onchange = () => {
  const frame = Number(byId("frame").value);
  clock.play(false);
  if (Number.isFinite(frame)) clock.go(frame);
};
clock.changed = () => {
  byId("play").textContent = clock.playing ? "Pause" : "Play";
  byId("play").setAttribute("aria-pressed", clock.playing);
};
for (const [name, value] of [["min", result.first], ["max", result.last], ["now", result.first]]) {
  rows.setAttribute("aria-value" + name, round(value));
}
byId("own-view").hidden = byId("over").hidden = !beside;
byId("previous").hidden = byId("next").hidden = !check.faults.length;
drawWords();
drawTimeline();
for (const canvas of [byId("result"), byId("own")]) {
  orbit(canvas, camera, draw);
  new ResizeObserver(draw).observe(canvas);
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
if (check.faults.length) choose(0);
else draw();
