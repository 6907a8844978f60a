import { BridgeError } from "./bridge-error.ts"

/** Keeps the cursors of programs: Redis, a KV namespace, a table. A value is a line of text. */
export interface CursorStore {
  get(key: string): Promise<string | null | undefined>
  set(key: string, value: string): Promise<unknown>
}

/** A cursor as it is written down. */
interface Kept {
  url: string
  bridge: string
  /** The id of the last event that is done, or of the place where the stream began. */
  after: string
  /** Which run of which program has written it. */
  writer: string
  /** The process of that run. */
  pid?: number
}

/** How far a program has come in the events of a bridge. */
export interface Cursor {
  /** The id behind which it goes on; undefined before the first start. */
  after: string | undefined
  /** Writes down that all up to this id is done. @throws BridgeError as `openCursor` */
  moveTo(id: string): Promise<void>
  /** The error that says what is wrong with this cursor. */
  unusable(why: string, cause?: unknown): BridgeError
}

/** Whose cursor it is. */
interface Place {
  name: string
  url: string
  bridge: string
  /** A folder, or what keeps cursors in place of files. */
  store?: string | CursorStore | undefined
}

/**
 * Takes up a cursor. The run that used it before is refused from then on.
 * @throws BridgeError `cursor_unusable` if it cannot be read or written, is damaged, or is that of another
 * bridge; `cursor_in_use` while another process of this machine uses it
 */
export async function openCursor({ name, url, bridge, store }: Place): Promise<Cursor> {
  const writer = crypto.randomUUID()
  const keeper = typeof store === "object" ? withoutFiles(name, store) : inFile(name, store)
  const unusable = (why: string, cause?: unknown) =>
    new BridgeError("cursor_unusable", `the cursor ${keeper.where} ${why}`, { cause })
  const inUse = ({ pid }: Kept) =>
    new BridgeError(
      "cursor_in_use",
      `the cursor ${keeper.where} is used by another program${pid === undefined ? "" : ` (process ${pid})`}: ` +
        "give each program a `resume` of its own; if none but this one runs, start it again in a minute",
    )
  const read = async () => {
    const text = await keeper.get().catch((cause: unknown) => {
      throw unusable(`cannot be read: ${(cause as Error).message}`, cause)
    })
    const kept = text === undefined ? undefined : keptIn(text)
    if (text !== undefined && !kept) throw unusable("is damaged: remove it, and the program begins now")
    return kept
  }
  const write = async (after: string) => {
    const kept: Kept = { url, bridge, after, writer, ...(keeper.pid !== undefined && { pid: keeper.pid }) }
    await keeper.set(`${JSON.stringify(kept)}\n`).catch((cause: unknown) => {
      throw unusable(`cannot be written: ${(cause as Error).message}`, cause)
    })
  }

  const kept = await read()
  if (kept && (kept.url !== url || kept.bridge !== bridge))
    throw unusable(
      `is that of the bridge ${kept.bridge} at ${kept.url}: give another \`resume\`, or write the new address into it if that is the same bridge`,
    )
  if (kept && (await keeper.isUsedBy(kept.pid))) throw inUse(kept)
  // From now on an earlier run that is alive after all finds another writer than itself.
  if (kept) await write(kept.after)
  let last = kept?.after
  return {
    after: kept?.after,
    unusable,
    async moveTo(id) {
      if (id === last) return await keeper.touch()
      const found = await read()
      if (found && found.writer !== writer) throw inUse(found)
      await write(id)
      last = id
    },
  }
}

function keptIn(text: string): Kept | undefined {
  try {
    const kept = JSON.parse(text) as Partial<Kept> | null
    const words = [kept?.url, kept?.bridge, kept?.after, kept?.writer]
    return words.every((word) => typeof word === "string") ? (kept as Kept) : undefined
  } catch {
    return undefined
  }
}

/** Where a cursor is kept. */
interface Keeper {
  /** Where that is, for people. */
  where: string
  pid?: number
  get(): Promise<string | undefined>
  set(text: string): Promise<unknown>
  /** Shows that it is in use. */
  touch(): Promise<void>
  /**
   * Whether this process, another one than this, is alive and has used it of late. What a dead one was
   * writing is removed.
   */
  isUsedBy(pid: number | undefined): Promise<boolean>
}

function withoutFiles(name: string, store: CursorStore): Keeper {
  return {
    where: JSON.stringify(name),
    get: async () => (await store.get(name)) ?? undefined,
    set: async (text) => await store.set(name, text),
    // It has no processes to ask for.
    touch: async () => {},
    isUsedBy: async () => false,
  }
}

/** What is used of Node, which Bun and Deno have too; browsers do not. */
interface Process {
  pid: number
  kill(pid: number, signal: 0): void
  getBuiltinModule?(name: "node:fs"): { promises: Files } | undefined
}

interface Files {
  readFile(path: string, encoding: "utf8"): Promise<string>
  mkdir(path: string, options: { recursive: true; mode: number }): Promise<unknown>
  open(path: string, flags: "w", mode: number): Promise<Handle>
  rename(from: string, to: string): Promise<void>
  rm(path: string, options: { force: true }): Promise<void>
  stat(path: string): Promise<{ mtimeMs: number }>
  utimes(path: string, accessed: number, modified: number): Promise<void>
}

interface Handle {
  writeFile(text: string): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** The service sends something every 10 seconds, and each time the file is touched. */
const usedWithinMs = 60_000

function inFile(name: string, given: string | undefined): Keeper {
  const folder = given || ".messaging-bridge"
  const { process } = globalThis as { process?: Process }
  const files = process?.getBuiltinModule?.("node:fs")?.promises
  if (!process || !files)
    throw new BridgeError(
      "cursor_unusable",
      `there is no file system here for the cursor ${JSON.stringify(name)}: give \`store\`, an object with \`get(key)\` and \`set(key, value)\``,
    )
  const file = `${folder}/${encodeURIComponent(name)}.json`
  const draftOf = (pid: number) => `${file}.${pid}`
  return {
    where: file,
    pid: process.pid,
    get: async () =>
      await files.readFile(file, "utf8").catch((error: unknown) => {
        if ((error as { code?: string }).code === "ENOENT") return undefined
        throw error
      }),
    /** Whole or not at all. */
    async set(text) {
      const draft = draftOf(process.pid)
      await files.mkdir(folder, { recursive: true, mode: 0o700 })
      try {
        const handle = await files.open(draft, "w", 0o600)
        try {
          await handle.writeFile(text)
          await handle.sync()
        } finally {
          await handle.close()
        }
        await files.rename(draft, file)
      } catch (error) {
        await files.rm(draft, { force: true }).catch(() => "the first error says why")
        throw error
      }
    },
    async touch() {
      const now = Date.now() / 1000
      await files.utimes(file, now, now).catch(() => "it is written with the next event")
    },
    async isUsedBy(pid) {
      if (pid === undefined || pid === process.pid) return false
      if (!isAlive(process, pid) || (await isZombie(files, pid))) {
        await files.rm(draftOf(pid), { force: true }).catch(() => "nobody reads it")
        return false
      }
      // The number may be another process's by now. A time to come is one of a clock that was wrong.
      return Math.abs(Date.now() - (await files.stat(file)).mtimeMs) < usedWithinMs
    },
  }
}

function isAlive(process: Process, pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === "EPERM" // another user's
  }
}

/**
 * Whether the process has ended and waits for its parent to take note, as Linux tells. The first process of a
 * container may never do that, so that a killed program would seem to live.
 */
async function isZombie(files: Files, pid: number): Promise<boolean> {
  const stat = await files.readFile(`/proc/${pid}/stat`, "utf8").catch(() => "there is no such file")
  return /\) Z /.test(stat)
}
