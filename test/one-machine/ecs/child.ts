// The task of these tests: it says who it is and stays until it is told to end.
import { spawn } from "node:child_process"

const { NAME, GREETING, STUBBORN, EXIT_CODE, HELPER } = process.env

process.on("disconnect", () => process.exit())
// Work that keeps it alive, but not for ever if a test fails.
setTimeout(() => {}, 60_000)
if (STUBBORN) process.on("SIGTERM", () => console.log(`${NAME} stays`))
if (HELPER) console.log(`helper ${spawn("sleep", ["60"], { stdio: "ignore" }).pid}`)
console.log(`${NAME} says ${GREETING}`)
if (EXIT_CODE) process.exit(Number(EXIT_CODE))
