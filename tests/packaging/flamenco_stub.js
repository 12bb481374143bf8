// Compiles a job type of Flamenco as its manager would, and prints the tasks: node flamenco_stub.js SCRIPT SETTINGS
const fs = require("fs");
const vm = require("vm");

class Task {
    constructor(name, type) {
        Object.assign(this, { name, type, commands: [], dependencies: [] });
    }
    addCommand(command) { this.commands.push(command); }
    addDependency(task) { this.dependencies.push(task.name); }
}

const tasks = [];
const world = vm.createContext({
    author: { Task: (name, type) => new Task(name, type), Command: (name, parameters) => ({ name, parameters }) },
    path: require("path").posix,
    print: () => {},
});
const job = { name: "Job", settings: JSON.parse(process.argv[3]), addTask: (task) => tasks.push(task) };
world.job = job;
vm.runInContext(fs.readFileSync(process.argv[2], "utf-8") + "\ncompileJob(job);", world);
const type = vm.runInContext("JOB_TYPE", world);
console.log(JSON.stringify({ type, tasks }));
