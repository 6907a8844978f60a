/** Loaded before a main program (`node --import`): a disk that takes its time, a different one each time. */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const clock = new Int32Array(new SharedArrayBuffer(4))
const names = ["fsyncSync", "linkSync", "renameSync", "writeFileSync", "mkdirSync"] as const
const plain: Record<string, unknown> = { ...fs }

for (const name of names)
  Object.assign(fs, {
    [name]: (...given: unknown[]) => {
      Atomics.wait(clock, 0, 0, Math.random() * 100)
      return (plain[name] as (...given: unknown[]) => unknown)(...given)
    },
  })
syncBuiltinESMExports()
