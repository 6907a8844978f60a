import { statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { expect, test } from "vitest"
import { isInMemory, whyUnfit } from "#dynamodb-on-sqlite/rows/folder-lock.ts"

test.for([
  ["NFS", 0x6969],
  ["SMB", 0x517b],
  ["CIFS", 0xff534d42],
  ["SMB", 0xfe534d42],
  ["NCP", 0x564c],
  ["AFS", 0x5346414f],
  ["AFS", 0x6b414653],
  ["Coda", 0x73757245],
  ["Ceph", 0x00c36400],
  ["Lustre", 0x0bd00bd0],
  ["BeeGFS", 0x19830326],
  ["GPFS", 0x47504653],
  ["GFS2", 0x01161970],
  ["OCFS2", 0x7461636f],
  ["FUSE", 0x65735546],
  ["9P", 0x01021997],
  ["a folder shared by VirtualBox", 0x786f4256],
] as const)("a data folder on %s (%x) is refused, with what to choose instead", ([name, type]) => {
  expect(whyUnfit("/data", type)).toMatch(
    new RegExp(`^/data is on ${name}, .*: choose a folder on a disk of this machine with DATA_DIR=...$`),
  )
})

test.for([
  ["ext4", 0xef53],
  ["XFS", 0x58465342],
  ["Btrfs", 0x9123683e],
  ["ZFS", 0x2fc12fc1],
  ["overlay", 0x794c7630],
  ["tmpfs", 0x01021994],
] as const)("one on %s (%x) is taken, and only memory forgets", ([name, type]) => {
  expect([whyUnfit("/data", type), isInMemory(type)]).toEqual([undefined, name === "tmpfs"])
  expect(whyUnfit(tmpdir(), statfsSync(tmpdir()).type)).toBeUndefined()
})
