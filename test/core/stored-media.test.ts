import "#test/support/store.ts"
import { randomUUID } from "node:crypto"
import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { config } from "#core/platform/config.ts"

async function aFile(bytes: string): Promise<string> {
  const path = join(tmpdir(), `media-${randomUUID()}`)
  await writeFile(path, bytes)
  onTestFinished(() => rm(path))
  return path
}

async function storeSmall(): Promise<void> {
  const about = { contentType: "image/png", fileName: "", most: 9 }
  const bytes = Readable.from([Buffer.from("its bytes")])
  await FilesOnDisk.store("media", { bridgeId: "a", name: "a-b" }, about, bytes)
}

/** The headers under which a file of this name is served. */
async function answerOf(fileName: string, contentType = "image/png") {
  const path = await aFile("bytes")
  const key = StoredMedia.keyOf(randomUUID(), "id")
  await StoredMedia.put({ key, path, contentType, fileName })
  const { headers, body } = await StoredMedia.get(key)
  body.destroy()
  return headers
}

describe.for(["in the bucket", "on the disk of one machine"])("%s", (place) => {
  beforeEach(() => {
    if (place === "in the bucket") return
    config.STORAGE_DIR = mkdtempSync(join(tmpdir(), "media-"))
    onTestFinished(() => {
      rmSync(config.STORAGE_DIR!, { recursive: true })
      config.STORAGE_DIR = undefined
    })
  })

  test.for([
    ["", "attachment"],
    ['a"; filename="b.html', "attachment; filename*=UTF-8''a%22%3B%20filename%3D%22b.html"],
    ["a\r\nSet-Cookie: b=c", "attachment; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b%3Dc"],
    ["../../etc/passwd", "attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd"],
    ["\u202egnp.exe", "attachment; filename*=UTF-8''%E2%80%AEgnp.exe"],
    ["half \ud800", "attachment; filename*=UTF-8''half%20%EF%BF%BD"],
    ["it's (*)", "attachment; filename*=UTF-8''it%27s%20%28%2A%29"],
  ])(
    "a file that its sender calls %j is an attachment, and its name only a name",
    async ([name, disposition]) => {
      expect(await answerOf(name!)).toMatchObject({
        "content-disposition": disposition,
        "x-content-type-options": "nosniff",
        "content-security-policy": "sandbox",
      })
    },
  )

  test("a long name may end within a letter", async () => {
    const { "content-disposition": disposition } = await answerOf(`${"a".repeat(254)}😀`)
    expect(disposition).toMatch(/a%EF%BF%BD$/)
  })

  test("what was stored is fresh for three hours, and streamed as it was", async () => {
    const key = StoredMedia.keyOf(randomUUID(), "id")
    expect(await StoredMedia.isFresh(key)).toBe(false)
    const path = await aFile("its bytes")
    await StoredMedia.put({ key, path, contentType: "image/png", fileName: "a.png" })
    expect(await StoredMedia.isFresh(key)).toBe(true)
    const { headers, body } = await StoredMedia.get(key)
    expect(headers).toMatchObject({ "content-type": "image/png", "content-length": "9" })
    expect(await text(body)).toBe("its bytes")
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + StoredMedia.cachedForMs + 1000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await StoredMedia.isFresh(key)).toBe(false)
  })
})

test("on the disk of one machine, a file that is removed while a client reads it is read to its end", async () => {
  config.STORAGE_DIR = mkdtempSync(join(tmpdir(), "media-"))
  onTestFinished(() => void (config.STORAGE_DIR = undefined))
  const path = await aFile("its bytes")
  await StoredMedia.put({ key: "a/b", path, contentType: "image/png", fileName: "" })
  const { body } = await StoredMedia.get("a/b")
  rmSync(config.STORAGE_DIR, { recursive: true })
  expect(await text(body)).toBe("its bytes")
})

test("the memory of a file's pieces is free once they are written, unless others share it", async () => {
  config.STORAGE_DIR = mkdtempSync(join(tmpdir(), "media-"))
  onTestFinished(() => void (config.STORAGE_DIR = undefined))
  const [own, shared] = [new Uint8Array(Buffer.from("its ")), new Uint8Array(Buffer.from("bytes, and more"))]
  const pieces = Readable.from([own, shared.subarray(0, 5)])
  const about = { contentType: "image/png", fileName: "", most: 9 }
  await FilesOnDisk.store("media", { bridgeId: "a", name: "a-b" }, about, pieces)
  expect(await text((await StoredMedia.get("a/b")).body)).toBe("its bytes")
  expect([own.length, shared.length]).toEqual([0, 15])
})

test("on the disk of one machine, a file that is written twice at once is whole, and no writer fails", async () => {
  config.STORAGE_DIR = mkdtempSync(join(tmpdir(), "media-"))
  onTestFinished(() => void (config.STORAGE_DIR = undefined))
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  async function* slowly() {
    yield Buffer.from("its ")
    begun.resolve()
    await goOn.promise
    yield Buffer.from("bytes")
  }
  const keep = FilesOnDisk.store.bind(
    undefined,
    "media",
    { bridgeId: "a", name: "a-b" },
    { contentType: "image/png", fileName: "", most: 9 },
  )
  const slow = keep(slowly())
  await begun.promise
  await keep(Readable.from([Buffer.from("its bytes")]))
  goOn.resolve()
  await slow
  expect(await text((await StoredMedia.get("a/b")).body)).toBe("its bytes")
})

test("on the disk of one machine, a file can be read while it is stored again", async () => {
  config.STORAGE_DIR = mkdtempSync(join(tmpdir(), "media-"))
  onTestFinished(() => void (config.STORAGE_DIR = undefined))
  await storeSmall()
  let stored = 0
  const storing = (async () => {
    while (stored < 200) {
      await Promise.all([storeSmall(), storeSmall()])
      stored++
    }
  })()
  while (stored < 200) expect(await text((await StoredMedia.get("a/b")).body)).toBe("its bytes")
  await storing
})

test("on one machine's disk, what is not fresh is removed, and where there is no room nothing is stored", async () => {
  const folder = mkdtempSync(join(tmpdir(), "media-"))
  const { STORAGE_RESERVE_MB } = config
  config.STORAGE_DIR = folder
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
    Object.assign(config, { STORAGE_DIR: undefined, STORAGE_RESERVE_MB })
  })
  const input = { path: await aFile("bytes"), contentType: "image/png", fileName: "" }
  await StoredMedia.put({ ...input, key: "a/old" })
  const old = new Date(Date.now() - StoredMedia.cachedForMs - 60_000)
  for (const name of readdirSync(join(folder, "media", "a")))
    utimesSync(join(folder, "media", "a", name), old, old)
  await StoredMedia.put({ ...input, key: "a/new" })
  await StoredMedia.removeOld()
  expect(readdirSync(join(folder, "media", "a")).toSorted()).toEqual(["a-new", "a-new.json"])

  config.STORAGE_RESERVE_MB = 1e12
  await expect(StoredMedia.put({ ...input, key: "a/none" })).rejects.toMatchObject({ code: "storage_full" })
  expect(await StoredMedia.isFresh("a/none")).toBe(false)
})

test("on one machine's disk, a new file takes the oldest one's room, but not of what was just asked for", async () => {
  const { STORAGE_ACCOUNT_MB } = config
  const folder = mkdtempSync(join(tmpdir(), "media-"))
  Object.assign(config, { STORAGE_DIR: folder, STORAGE_ACCOUNT_MB: 1 })
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
    Object.assign(config, { STORAGE_DIR: undefined, STORAGE_ACCOUNT_MB })
  })
  const input = { path: await aFile("x".repeat(300_000)), contentType: "image/png", fileName: "" }
  for (const key of ["a/1", "a/2", "a/3", "b/1"]) await StoredMedia.put({ ...input, key })
  await expect(StoredMedia.put({ ...input, key: "a/4" })).rejects.toMatchObject({
    code: "file_limit_reached",
  })
  for (const [name, minutes] of [
    ["a-1", 2],
    ["a-2", 3],
    ["b-1", 9],
  ] as const) {
    const at = new Date(Date.now() - minutes * 60_000)
    utimesSync(join(folder, "media", name[0]!, name), at, at)
  }
  await StoredMedia.put({ ...input, key: "a/4" })
  const areThere = await Promise.all(["a/1", "a/2", "a/3", "a/4", "b/1"].map(StoredMedia.isFresh))
  expect(areThere).toEqual([true, false, true, true, true])
})

test("on one machine's disk, what a crash left of files under way counts no longer, once unchanged a while", async () => {
  const folder = mkdtempSync(join(tmpdir(), "media-"))
  config.STORAGE_DIR = folder
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
    config.STORAGE_DIR = undefined
  })
  await FilesOnDisk.inFolder("a", async (own) => {
    await writeFile(join(own, "plain"), "x")
    const before = new Date(Date.now() - 600_000)
    utimesSync(own, before, before)
    await FilesOnDisk.removeAbandoned(300_000)
    expect(readdirSync(own)).toEqual(["plain"])
    utimesSync(join(own, "plain"), before, before)
    await FilesOnDisk.removeAbandoned(300_000)
    expect(await FilesOnDisk.usedBy("a")).toBe(0)
  })
})
