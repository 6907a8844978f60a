import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { open } from "#simulator/storage/store.ts"

test("on a full disk a change is refused for that reason, whole, and the next succeeds when there is room", () => {
  const folder = mkdtempSync(join(tmpdir(), "full-disk-"))
  const store = open(folder)
  onTestFinished(() => {
    store.close()
    rmSync(folder, { recursive: true })
  })
  const { db } = store
  db.exec("CREATE TABLE things (text TEXT)")
  const put = db.prepare("INSERT INTO things VALUES (?)")
  const fill = (rows: number) =>
    store.atomically(() => {
      for (let at = 0; at < rows; at++) put.run("x".repeat(9000))
    })
  const count = () => db.prepare("SELECT count(*) AS n FROM things").get()!.n
  const pages = Number(db.prepare("PRAGMA page_count").get()!.page_count)
  fill(1)
  // SQLite refuses a page beyond these as it does on a full disk.
  db.exec(`PRAGMA max_page_count = ${pages + 30}`)
  expect(() => fill(300)).toThrow("database or disk is full")
  expect(count()).toBe(1)
  db.exec("PRAGMA max_page_count = 1000000")
  fill(1)
  expect(count()).toBe(2)
})
