import { createHash, randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { once, type Store } from "../storage/store.ts"

/** How long uploaded files are kept: the network forgets them after a month. */
const keptMs = 30 * 86_400_000

/** Paths end in a query, since some clients append parameters. */
const query = "?ccb=11-4"

const withoutQuery = (path: string) => path.split("?")[0] ?? path

/** Encrypted files, by the path under which they were put. */
export type Media = ReturnType<typeof open>

export function open(store: Store) {
  store.db.exec(
    "CREATE TABLE IF NOT EXISTS media (path TEXT PRIMARY KEY, at INTEGER, hash TEXT NOT NULL, gone INTEGER DEFAULT 0)",
  )
  const insert = store.db.prepare("INSERT OR REPLACE INTO media (path, at, hash) VALUES (?, ?, ?)")
  const select = store.db.prepare("SELECT hash FROM media WHERE path = ? AND at > ? AND gone = 0")
  const contents = contentsIn(store.files)
  const hide = store.db.prepare("UPDATE media SET gone = 1 WHERE path = ?")
  const show = store.db.prepare("UPDATE media SET gone = 0, at = ? WHERE path = ?")

  function placeOf(kind: string, hash: string): string {
    const path = `/v/${kind}/${hash}`
    insert.run(path, Date.now(), hash)
    return path + query
  }

  return {
    /** What a client has to show to bring a file: it is told once it has logged in. */
    auth: once(store, "media auth", () => randomBytes(16).toString("hex")),
    /** Where clients reach it, `host:port`; known once it listens. */
    host: "",
    /**
     * Takes a file under the name that is its SHA-256 in base64url; the path to fetch it by, or
     * undefined when name and file do not match.
     */
    put(kind: string, name: string, content: Buffer): string | undefined {
      const hash = createHash("sha256").update(content).digest("base64url")
      if (hash !== name.replace(/=+$/, "")) return undefined
      contents.set(hash, content)
      return placeOf(kind, hash)
    },
    /** The same for a file that comes in pieces. Other requests go on between two pieces. */
    async receive(
      kind: string,
      name: string,
      pieces: AsyncIterable<Uint8Array>,
    ): Promise<{ path: string; bytes: number } | undefined> {
      const hashing = createHash("sha256")
      const content: Uint8Array[] = []
      let bytes = 0
      for await (const piece of pieces) {
        hashing.update(piece)
        content.push(piece)
        bytes += piece.length
      }
      const hash = hashing.digest("base64url")
      if (hash !== name.replace(/=+$/, "")) return undefined
      await contents.take(hash, content)
      freeMemoryOf(content)
      return { path: placeOf(kind, hash), bytes }
    },
    get(path: string): Buffer | undefined {
      const row = select.get(withoutQuery(path), Date.now() - keptMs)
      return row && contents.get(String(row.hash))
    },
    /** The file is gone, as after a month. False when there was none. */
    forget: (path: string): boolean => Number(hide.run(withoutQuery(path)).changes) > 0,
    /** A phone has brought the file again: phones keep their files. False if no phone ever had it. */
    restore: (path: string): boolean => Number(show.run(Date.now(), withoutQuery(path)).changes) > 0,
    /** The address of a path. */
    url(path: string): string {
      return `https://${this.host}${path}`
    },
  }
}

/** Left to the collector of garbage, large files would stop the whole network now and then. */
function freeMemoryOf(pieces: Uint8Array[]): void {
  for (const { buffer, byteLength } of pieces)
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

/** The files themselves, by hash. SQLite would hold up every other client while it writes a large one. */
function contentsIn(folder: string | undefined) {
  const inMemory = new Map<string, Buffer>()
  if (folder === undefined)
    return {
      get: (hash: string) => inMemory.get(hash),
      set: (hash: string, content: Buffer) => void inMemory.set(hash, content),
      take: async (hash: string, pieces: Uint8Array[]) => void inMemory.set(hash, Buffer.concat(pieces)),
    }
  return {
    get: (hash: string) => readFileSync(join(folder, hash)),
    set: (hash: string, content: Buffer) => writeFileSync(join(folder, hash), content, { mode: 0o600 }),
    take: async (hash: string, pieces: Uint8Array[]) =>
      await writeFile(join(folder, hash), pieces, { mode: 0o600 }),
  }
}
