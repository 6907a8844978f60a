import { existsSync, openSync, readFileSync, renameSync, writeSync } from "node:fs"
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** The signal that a process sends itself at an armed step. */
export type Blow = "SIGKILL" | "SIGSTOP"

/** A process that met an armed step. */
export interface Met {
  step: string
  blow: Blow
  pid: number
}

/** The steps of a process: it says where it is, and dies where it is told to. */
export interface Steps {
  /** The first process at an armed step takes the blow there and then, not an instruction later. */
  at: (step: string) => void
  /** Something is under way until the returned function is called. */
  begin: (work: string) => () => void
}

/**
 * The steps of one process. They are shared with the killer through a folder, because a file that is renamed
 * has one taker, and because what a killed process has written to a file is there.
 */
export function stepsOf(dir: string): Steps {
  const sheet = openSync(join(dir, "open", String(process.pid)), "w")
  const open = new Map<string, number>()

  function change(work: string, by: number): void {
    open.set(work, (open.get(work) ?? 0) + by)
    const text = JSON.stringify([...open].filter(([, count]) => count > 0))
    writeSync(sheet, text.padEnd(sheetBytes), 0)
  }

  return {
    at(step) {
      const armed = join(dir, "armed", step)
      if (!existsSync(armed)) return
      const taken = join(dir, "met", `${step}~${process.pid}~${process.hrtime.bigint()}`)
      try {
        renameSync(armed, taken)
      } catch {
        // Another process was faster, or it was disarmed.
        return
      }
      process.kill(process.pid, readFileSync(taken, "utf8"))
    },
    begin(work) {
      change(work, 1)
      return () => change(work, -1)
    },
  }
}

/** A sheet is written over and over, always as long: what is read was written at once. */
const sheetBytes = 4096

/** The killer's side of the folder. */
export function stepBoard(dir: string) {
  for (const part of ["armed", "met", "open"]) mkdirSync(join(dir, part), { recursive: true })
  const seen = new Set<string>()
  return {
    dir,
    arm: (step: string, blow: Blow) => {
      // Complete before it has its name.
      const draft = join(dir, `${step}.draft`)
      writeFileSync(draft, blow)
      renameSync(draft, join(dir, "armed", step))
    },
    /** Disarms a step. A process that has already met it is in the next `met`. */
    disarm: (step: string): void => rmSync(join(dir, "armed", step), { force: true }),
    /** The processes that have met a step since the last call. */
    met: (): Met[] => {
      const fresh = readdirSync(join(dir, "met")).filter((name) => !seen.has(name))
      return fresh.map((name) => {
        seen.add(name)
        const [step = "", pid = ""] = name.split("~")
        const blow = readFileSync(join(dir, "met", name), "utf8") as Blow // written by `arm`
        return { step, blow, pid: Number(pid) }
      })
    },
    /** The work that a process has under way; exact for a stopped process. */
    openOf: (pid: number): string[] => {
      const sheet = join(dir, "open", String(pid))
      if (!existsSync(sheet)) return []
      const text = readFileSync(sheet, "utf8").trim()
      const open = text === "" ? [] : (JSON.parse(text) as [string, number][]) // written by `begin`
      return open.map(([work]) => work)
    },
  }
}
export type StepBoard = ReturnType<typeof stepBoard>
