// SPDX-License-Identifier: GPL-3.0-or-later
// A character as lines on a canvas: tracks read from text, and a camera to turn.
"use strict";

// Read a track as tracks.py writes it: of each coordinate the changes of its rate, seven bits a byte.
function readTrack(track, pointCount, grain) {
  const bytes = Uint8Array.from(atob(track.points), (c) => c.charCodeAt(0));
  const columns = pointCount * 3, count = track.count;
  const places = new Float64Array(columns * count);
  let at = 0;
  for (let column = 0; column < columns; column++) {
    let value = 0, rate = 0;
    for (let row = 0; row < count; row++) {
      let number = 0, factor = 1, byte;
      do {
        byte = bytes[at++];
        number += (byte & 127) * factor;
        factor *= 128;
      } while (byte > 127);
      rate += number % 2 ? -(number + 1) / 2 : number / 2;
      value += rate;
      places[row * columns + column] = value * grain;
    }
  }
  const last = track.first + (count - 1) * track.step;
  return { label: track.label, first: track.first, last, step: track.step, count, places, columns };
}

// The row of a track that shows a frame, null where it shows none.
function rowAt(track, frame) {
  if (!track || frame < track.first - 1e-6 || frame > track.last + track.step - 1e-6) return null;
  const row = Math.min(track.count - 1, Math.floor((frame - track.first) / track.step + 1e-6));
  return track.places.subarray(row * track.columns, (row + 1) * track.columns);
}

// How large a character is in a row, metres.
function extentOf(row) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < row.length; i++) {
    low[i % 3] = Math.min(low[i % 3], row[i]);
    high[i % 3] = Math.max(high[i % 3], row[i]);
  }
  return Math.max(1e-6, Math.hypot(...high.map((value, axis) => value - low[axis])));
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

class Camera {
  constructor(size) {
    this.size = size;
    this.home = { yaw: 0.6, pitch: 0.16, distance: 1.75 * size };
    this.target = [0, 0, 0];
    this.reset();
  }
  reset() {
    Object.assign(this, this.home);
  }
  turn(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.max(-0.3, Math.min(1.5, this.pitch + pitch));
  }
  zoom(factor) {
    this.distance = Math.max(0.4 * this.size, Math.min(20 * this.size, this.distance * factor));
  }
  // A function that projects places to a canvas: x, y and depth, null for what is behind the camera.
  projection(width, height) {
    const [tx, ty, tz] = this.target;
    const a = Math.cos(this.yaw), b = Math.sin(this.yaw), c = Math.cos(this.pitch), s = Math.sin(this.pitch);
    const focal = 1.5 * Math.min(height, 1.25 * width), near = 0.1 * this.distance;
    return (x, y, z) => {
      const u = (x - tx) * a + (y - ty) * b, v = (y - ty) * a - (x - tx) * b, w = z - tz;
      const depth = this.distance + v * c - w * s;
      if (depth < near) return null;
      const scale = focal / depth;
      return [0.5 * width + u * scale, 0.5 * height - (v * s + w * c) * scale, depth];
    };
  }
}

class Stage {
  constructor(canvas, camera, skeleton) {
    this.canvas = canvas;
    this.camera = camera;
    this.skeleton = skeleton;
    this.context = canvas.getContext("2d");
  }
  begin() {
    const { canvas, context } = this, sharp = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * sharp) || canvas.height !== Math.round(height * sharp)) {
      canvas.width = Math.round(width * sharp);
      canvas.height = Math.round(height * sharp);
    }
    context.setTransform(sharp, 0, 0, sharp, 0, 0);
    context.clearRect(0, 0, width, height);
    context.lineCap = context.lineJoin = "round";
    this.project = this.camera.projection(width, height);
    this.floor();
  }
  line(from, to) {
    const a = this.project(...from), b = this.project(...to);
    if (!a || !b) return;
    this.context.moveTo(a[0], a[1]);
    this.context.lineTo(b[0], b[1]);
  }
  // A round grid on the ground around what the camera looks at.
  floor() {
    const { context, camera } = this, power = 10 ** Math.floor(Math.log10(camera.size));
    const cell = power * (camera.size / power > 4 ? 1 : camera.size / power > 1.6 ? 0.5 : 0.25);
    const reach = 9, x0 = Math.round(camera.target[0] / cell), y0 = Math.round(camera.target[1] / cell);
    context.lineWidth = 1;
    context.strokeStyle = colour("grid");
    context.beginPath();
    for (let i = -reach; i <= reach; i++) {
      const half = Math.sqrt(reach * reach - i * i) * cell;
      const x = x0 * cell, y = y0 * cell;
      this.line([x - half, y + i * cell, 0], [x + half, y + i * cell, 0]);
      this.line([x + i * cell, y - half, 0], [x + i * cell, y + half, 0]);
    }
    context.stroke();
  }
  // Draw a pose. style: names of colours, a width, and an alpha; marked: bones to be seen first of all.
  pose(row, style, marked) {
    const { context, skeleton } = this, width = style.width || 2.5;
    const at = (point) => [row[3 * point], row[3 * point + 1], row[3 * point + 2]];
    context.lineWidth = 3;
    context.strokeStyle = colour("shadow");
    context.beginPath();
    for (const [a, b] of skeleton.lines) this.line([...at(a).slice(0, 2), 0], [...at(b).slice(0, 2), 0]);
    context.stroke();
    context.globalAlpha = style.alpha || 1;
    context.lineWidth = width;
    for (const side of ["R", "", "L"]) {
      context.strokeStyle = colour(style.colours[side]);
      context.beginPath();
      skeleton.lines.forEach(([a, b], i) => {
        if (skeleton.sides[i] === side) this.line(at(a), at(b));
      });
      context.stroke();
    }
    context.globalAlpha = 1;
    if (!marked || !marked.size) return;
    context.lineWidth = width + 1.5;
    context.strokeStyle = context.fillStyle = colour("poor");
    context.beginPath();
    skeleton.lines.forEach(([a, b], i) => {
      if (marked.has(skeleton.bones[i])) this.line(at(a), at(b));
    });
    context.stroke();
    for (const [bone, point] of skeleton.joints) {
      const seen = marked.has(bone) && this.project(...at(point));
      if (!seen) continue;
      context.beginPath();
      context.arc(seen[0], seen[1], 5, 0, 7);
      context.fill();
    }
  }
  // Draw the way of places (x, y, z).
  trail(places, name) {
    const { context } = this;
    context.lineWidth = 1.5;
    context.strokeStyle = colour(name);
    context.beginPath();
    for (let i = 1; i < places.length; i++) this.line(places[i - 1], places[i]);
    context.stroke();
  }
}

const RESULT = { colours: { L: "left", R: "right", "": "ink" }, width: 2.75 };
const OWN = { colours: { L: "own", R: "own", "": "own" }, width: 2.25 };

// Have a canvas turn and zoom a camera: by one pointer, two fingers, and the wheel with Ctrl or over the canvas.
function orbit(canvas, camera, changed) {
  const pointers = new Map();
  let apart = 0;
  canvas.style.touchAction = "none";
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    apart = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (pointers.size === 1) {
      camera.turn((before[0] - event.clientX) * 0.008, (event.clientY - before[1]) * 0.006);
    } else {
      const [a, b] = [...pointers.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);
      if (apart) camera.zoom(apart / Math.max(now, 1));
      apart = now;
    }
    changed();
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
  }
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.zoom(Math.exp(event.deltaY * 0.001));
    changed();
  }, { passive: false });
  canvas.addEventListener("dblclick", () => { camera.reset(); changed(); });
}

// A clock that goes through frames in their own time, and begins anew at the end.
class Clock {
  constructor(track, fps, show) {
    const { first, last, step } = track;
    Object.assign(this, { first, last, step, fps, show, speed: 1, playing: false, changed: () => {} });
    this.frame = first;
  }
  // The frame that is shown at a time: there is nothing between frames.
  shownAt(time) {
    const rows = Math.floor((time - this.first) / this.step + 1e-6);
    return this.first + this.step * Math.max(0, Math.min(Math.round((this.last - this.first) / this.step), rows));
  }
  go(frame) {
    const within = Math.max(this.first, Math.min(this.last, frame));
    this.exact = this.frame = this.shownAt(within);
    this.show();
  }
  play(playing) {
    this.playing = playing && this.last > this.first;
    this.changed();
    if (!this.playing) return;
    if (this.frame >= this.last) this.frame = this.first;
    this.exact = this.frame;
    let before = null;
    const tick = (now) => {
      if (!this.playing) return;
      if (before !== null) {
        this.exact += Math.min(now - before, 250) / 1000 * this.fps * this.speed;
        if (this.exact >= this.last + this.step) this.exact = this.first;
        const whole = this.shownAt(this.exact);
        if (whole !== this.frame) {
          this.frame = whole;
          this.show();
        }
      }
      before = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
}

// An element with a class and a text, which is never read as markup.
function element(tag, name, text) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

function round(value) {
  return String(Math.round(1000 * value) / 1000);
}
