// A job type for Flamenco 3: checks characters with Skinscope, in as many parts as you like, and merges the reports.
//
// Copy this file into the folder `scripts` beside Flamenco Manager. Workers need Skinscope (`pip install skinscope`),
// and see the characters and the folder for reports under the same path. docs/ci.md has the rest.

const JOB_TYPE = {
    label: "Skinscope Check",
    description: "Compares characters with what game engines make of them",
    settings: [
        { key: "files", type: "string", subtype: "dir_path", required: true,
          description: "Folder of the characters, or a pattern such as heroes/**/*.blend" },
        { key: "arguments", type: "string", default: "", label: "Options",
          description: "More options of 'skinscope check', such as --profile unity-4" },
        { key: "parts", type: "int32", default: 8, propargs: { min: 1, max: 1000 },
          description: "Tasks that share the files" },
        { key: "output", type: "string", subtype: "dir_path", required: true,
          description: "Folder for the reports" },
        { key: "program", type: "string", default: "skinscope",
          description: "How workers start Skinscope; a path, or a variable of Flamenco's" },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    const parts = Math.max(1, settings.parts || 1);
    const reports = [];
    const merge = author.Task("merge", "misc");
    for (let part = 1; part <= parts; part++) {
        const report = path.join(settings.output, `part-${part}.jsonl`);
        const task = author.Task(`check-${part}-of-${parts}`, "misc");
        // A character that fails is a result, and no task to be tried again; one that is goes on where it was.
        task.addCommand(author.Command("exec", {
            exe: settings.program,
            args: ["check", settings.files, ...words(settings.arguments), "--shard", `${part}/${parts}`,
                   "--report", `jsonl=${report}`, "--resume", "--exit-zero"],
        }));
        job.addTask(task);
        merge.addDependency(task);
        reports.push(report);
    }
    const into = (format, name) => ["--report", `${format}=${path.join(settings.output, name)}`];
    // Its exit status is that of one check of all files: the job fails if a character does.
    merge.addCommand(author.Command("exec", {
        exe: settings.program,
        args: ["report", ...reports, ...into("html", "skinscope.html"), ...into("json", "skinscope.json"),
               ...into("sarif", "skinscope.sarif")],
    }));
    job.addTask(merge);
}

// Splits options as a shell would that knows quotes and nothing else.
function words(text) {
    const found = (text || "").match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) || [];
    return found.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
