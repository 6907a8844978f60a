import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import sharp from "sharp"
import { listen, stopListening } from "#one-machine/listen.ts"
import { mp4, ogg } from "#test/support/media-files.ts"
import { startService } from "#test/support/service/service.ts"
import { until } from "#test/support/until.ts"

export type Stage = Awaited<ReturnType<typeof setStage>>

/**
 * `npm start`'s service on the simulated network, a customer, and files at an address of their own. Each
 * judge has a bridge of its own, linked to a phone of its own.
 */
export async function setStage() {
  const folder = mkdtempSync(join(tmpdir(), "dialects-"))
  const files = await startFiles()
  const service = await startService()
  const customer = await service.customer("judges")
  return {
    service,
    customer,
    files,
    /** For what a judge installs and writes. */
    folder,
    /** A bridge that is linked, and with whom it has written: a text and a picture came. */
    linked: async (ref: string) => {
      const owner = await service.network.create("Owner")
      const friend = await service.network.create("Friend")
      await customer.linked(ref, owner.number)
      await customer.call("PATCH", `/instances/${ref}`, { keep: 7, events: ["message", "message_status"] })
      const text = await service.network.send(friend.number, owner.number, "Hello from a friend")
      const media = {
        kind: "image",
        mimetype: "image/jpeg",
        data: files.picture.toString("base64"),
        caption: "Look",
      }
      const picture = await service.network.post(friend.number, owner.number, { media })
      for (const { id } of [text, picture])
        await until(async () => (await customer.call("GET", `/instances/${ref}/proxy/messages/${id}`)).ok)
      // Statuses are for those in the address book.
      await service.network.addressBook(owner.number, [{ number: friend.number, full_name: "Friend" }])
      await until(async () => {
        const path = `/instances/${ref}/proxy/contacts/${friend.number}`
        return (await (await customer.call("GET", path)).text()).includes(`"full_name":"Friend"`)
      })
      return { owner: owner.number, friend: friend.number, text: text.id, picture: picture.id }
    },
    /** A key for one bridge alone. */
    keyFor: async (ref: string) => {
      const made = await customer.call("POST", "/keys", { name: ref, customer_refs: [ref] })
      return ((await made.json()) as { key: string }).key
    },
    end: async () => {
      await service.stop()
      service.remove()
      await files.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startFiles() {
  const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: "#cc9966" } })
    .jpeg()
    .toBuffer()
  const sound = ogg("opus", 1)
  const served: Record<string, [type: string, body: Buffer]> = {
    "/picture.jpg": ["image/jpeg", picture],
    "/sound.ogg": ["audio/ogg", sound],
    "/film.mp4": ["video/mp4", mp4(1, { kind: "vide", width: 64, height: 64 })],
    "/document.txt": ["text/plain", Buffer.from("a document")],
  }
  const server = createServer((request, response) => {
    const file = served[request.url?.split("?")[0] ?? ""]
    if (!file) return void response.writeHead(404).end()
    response.writeHead(200, { "content-type": file[0] }).end(file[1])
  })
  const port = await listen(server)
  return { url: `http://127.0.0.1:${port}`, picture, sound, stop: () => stopListening(server) }
}
