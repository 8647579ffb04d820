// SPDX-License-Identifier: GPL-3.0-or-later
//
// A job type for Flamenco: bakes all that a spec of Inertia asks for, a part of it on each worker.
// Put this file into the folder "scripts" beside the Flamenco Manager; README.md has the rest.

const JOB_TYPE = {
    label: "Inertia Batch",
    description: "Bake the transitions, loops and paths of a spec, shared out among workers",
    settings: [
        {
            key: "spec", type: "string", subtype: "file_path", required: true,
            description: "The .toml or .json spec, where all workers find it by the same path",
        },
        {
            key: "output", type: "string", subtype: "dir_path", required: true,
            description: "The folder to write into; each part has a folder of its own in it",
        },
        {
            key: "parts", type: "int32", default: 8, propargs: { min: 1, max: 1000 }, visible: "submission",
            description: "How many tasks share the work",
        },
        {
            key: "processes", type: "int32", default: 1, propargs: { min: 1, max: 64 }, visible: "submission",
            description: "How many Blenders work at once in a task",
        },
        {
            key: "options", type: "string", default: "", visible: "submission",
            description: "Further options, such as --max-pop 1.5: what exceeds a gate fails its task",
        },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    if (settings.parts < 1 || settings.processes < 1) {
        throw "Give at least one part and one process.";
    }
    const digits = String(settings.parts).length;
    for (let part = 1; part <= settings.parts; part++) {
        const name = `part-${String(part).padStart(digits, "0")}`;
        const task = author.Task(`bake-${name}`, "blender");
        task.addCommand(author.Command("exec", {
            exe: "{blender}",
            args: [
                "--background", "--command", "inertia", "batch", settings.spec,
                "-o", path.join(settings.output, name),
                "--part", `${part}/${settings.parts}`,
                "--jobs", String(settings.processes),
                // a task that a worker has lost is done by another one, from where it was
                "--resume",
            ].concat(shellSplit(settings.options || "")),
        }));
        job.addTask(task);
    }
}
