import { expect, onTestFinished, test } from "vitest"
import { open } from "#simulator/storage/store.ts"
import { canMount, mountSmallDisk } from "#trials/drills/disk/small-disk.ts"

test.skipIf(!canMount())(
  "on a full disk a change is refused for that reason, whole, and the next succeeds when there is room",
  () => {
    const disk = mountSmallDisk(1)
    const { db, atomically, close } = open(disk.folder)
    onTestFinished(() => {
      close()
      disk.remove()
    })
    db.exec("CREATE TABLE things (text TEXT)")
    const put = db.prepare("INSERT INTO things VALUES (?)")
    const fill = (rows: number) =>
      atomically(() => {
        for (let at = 0; at < rows; at++) put.run("x".repeat(9000))
      })
    const count = () => db.prepare("SELECT count(*) AS n FROM things").get()!.n
    fill(1)
    disk.fill(0)
    expect(() => fill(300)).toThrow("database or disk is full")
    expect(count()).toBe(1)
    disk.free()
    fill(1)
    expect(count()).toBe(2)
  },
)
