import { spawn, type ChildProcess } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { constants } from "node:os"
import { createInterface } from "node:readline"

/** The command and environment of a task definition's one container. */
export interface TaskDefinition {
  command: string[]
  /** The environment, which may depend on what the request overrides. */
  env: Record<string, string> | ((overrides: Record<string, string>) => Record<string, string>)
  /**
   * The variables that a request may set; those of a session host if absent. Any other could run a stranger's
   * code, as `NODE_OPTIONS` does.
   */
  takes?: string[]
  tags?: Tag[]
  /** Is given each process, before it runs. */
  onStart?: (child: ChildProcess) => void
}

interface Tag {
  key: string
  value: string
}

/** The request of a RunTask, as far as its task needs it. */
interface Run {
  cluster: string
  overrides: Record<string, string>
  tags: Tag[] | undefined
}

/** Why a task ended, in ECS's words. */
export interface End {
  stopCode: string
  stoppedReason: string
}

/** A task of one container: a child process. */
export class Task {
  readonly arn: string
  readonly tags: Tag[] | undefined
  /** Resolves when the process is gone, or could not be started. */
  readonly ended: Promise<void>
  desiredStatus: "RUNNING" | "STOPPED" = "RUNNING"
  stoppedAtMs: number | undefined
  readonly #child: ChildProcess
  #lastStatus: "PENDING" | "RUNNING" | "STOPPING" | "STOPPED" = "PENDING"
  #stop: End | undefined
  #exitCode: number | undefined
  #reason: string | undefined
  readonly #outOfMemoryBefore = killedOutOfMemory()

  /**
   * Starts the process with the definition's environment, the request's overrides and `LOCAL_PARENT=1`. It
   * has an IPC channel: a child that ends on `disconnect` never outlives this process. What it has started
   * itself ends with it, as in a container.
   */
  constructor(
    { cluster, overrides, tags }: Run,
    definition: TaskDefinition,
    log: ((line: string) => void) | undefined,
  ) {
    const id = randomUUID().replaceAll("-", "")
    this.arn = `arn:aws:ecs:local:000000000000:task/${cluster}/${id}`
    this.tags = tags
    const output = log ? "pipe" : "inherit"
    const [file, ...args] = definition.command
    const env = typeof definition.env === "function" ? definition.env(overrides) : definition.env
    this.#child = spawn(file!, args, {
      env: { PATH: process.env.PATH, ...env, ...overrides, LOCAL_PARENT: "1" },
      stdio: ["ignore", output, output, "ipc"],
      // In a process group of its own: Ctrl-C in a terminal is meant for us, and we stop the tasks.
      detached: true,
    })
    endBeforeParent(this.#child)
    definition.onStart?.(this.#child)
    for (const stream of [this.#child.stdout, this.#child.stderr])
      if (log && stream) createInterface(stream).on("line", log)
    this.ended = this.#live()
  }

  get pid() {
    return this.#lastStatus === "STOPPED" ? undefined : this.#child.pid
  }

  /** Sends SIGTERM, and SIGKILL after `timeoutMs`. Returns at once; `ended` resolves at the end. */
  stop(end: End, timeoutMs: number) {
    if (this.desiredStatus === "STOPPED") return
    this.desiredStatus = "STOPPED"
    this.#lastStatus = "STOPPING"
    this.#stop = end
    this.#child.kill("SIGTERM")
    const patience = setTimeout(() => this.kill(), timeoutMs)
    void this.ended.then(() => clearTimeout(patience))
  }

  kill() {
    this.#child.kill("SIGKILL")
  }

  /** The task as DescribeTasks shows it, with the fields that are read here. */
  toWire() {
    return {
      taskArn: this.arn,
      desiredStatus: this.desiredStatus,
      lastStatus: this.#lastStatus,
      ...this.#stop,
      containers: [
        {
          // The container's id in its runtime; here a process id.
          runtimeId: this.pid === undefined ? undefined : String(this.pid),
          exitCode: this.#exitCode,
          reason: this.#reason,
        },
      ],
    }
  }

  async #live() {
    try {
      await once(this.#child, "spawn")
      if (this.#lastStatus === "PENDING") this.#lastStatus = "RUNNING"
      const [code, signal] = (await once(this.#child, "exit")) as [number | null, NodeJS.Signals | null]
      // Shells and ECS report an end by signal like this.
      this.#exitCode = code ?? 128 + constants.signals[signal!]
      if (signal === "SIGKILL" && killedOutOfMemory() > this.#outOfMemoryBefore)
        this.#reason = "OutOfMemoryError: Container killed due to memory usage"
      this.#stop ??= {
        stopCode: "EssentialContainerExited",
        stoppedReason: "Essential container in task exited",
      }
    } catch (error) {
      this.#stop = {
        stopCode: "TaskFailedToStart",
        stoppedReason: `CannotStartContainerError: ${String(error)}`,
      }
    }
    endGroupOf(this.#child)
    this.desiredStatus = "STOPPED"
    this.#lastStatus = "STOPPED"
    this.stoppedAtMs = Date.now()
  }
}

/** Ends what a task has started and not ended itself. */
function endGroupOf({ pid }: ChildProcess) {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // ESRCH: no process is left in the task's group.
  }
}

/**
 * Makes the kernel end a task before this process, which has the store, when memory is short (proc(5),
 * `oom_score_adj`): the sweep starts another task, but only the machine starts the store again.
 */
function endBeforeParent({ pid }: ChildProcess) {
  try {
    if (pid !== undefined) writeFileSync(`/proc/${pid}/oom_score_adj`, "200")
  } catch {
    // Not on Linux, or it has ended already.
  }
}

/**
 * How many processes the kernel has killed on this machine because memory had run out; 0 where it does not
 * say.
 */
function killedOutOfMemory(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync("/proc/vmstat", "utf8"))?.[1] ?? 0)
  } catch {
    // Not on Linux: a kill is then taken for one from outside.
    return 0
  }
}
