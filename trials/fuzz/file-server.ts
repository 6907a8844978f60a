import { createServer } from "node:http"
import sharp from "sharp"
import { stopListening, listen } from "#one-machine/listen.ts"
import { hugeJpeg, hugePng } from "#test/support/bombs.ts"

/** The files that a request may name. The most common ones are listed twice, so that many sends succeed. */
export const paths = `
  /photo.jpg /photo.jpg /photo.png /photo.webp /voice.ogg /page.html /liar.jpg
  /cut.png /bomb.png /bomb.jpg /gzip /loop /away /inside /empty /gone /reset
  /%ff /a%0d%0ab.pdf /%2e%2e%2f%2e%2e%2fpasswd
`
  .trim()
  .split(/\s+/)

/** A web server with files of all kinds, and a webhook. */
export async function startFileServer() {
  const files = await filesByPath()
  const server = createServer((request, response) => {
    request.resume()
    const path = request.url ?? "/"
    if (path === "/reset") return void request.socket.resetAndDestroy()
    if (path === "/loop") return void response.writeHead(302, { location: "/loop" }).end()
    if (path === "/away") return void response.writeHead(302, { location: "file:///etc/passwd" }).end()
    if (path === "/inside")
      return void response.writeHead(302, { location: "http://169.254.169.254/latest/" }).end()
    if (path === "/gzip")
      return void response.writeHead(200, { "content-type": "image/jpeg", "content-encoding": "gzip" }).end()
    const file = files.get(path)
    if (!file) return void response.writeHead(path === "/hook" ? 200 : 404).end("words of the other side")
    response.writeHead(200, { "content-type": file.type }).end(file.body)
  })
  return { url: `http://127.0.0.1:${await listen(server)}`, stop: () => stopListening(server) }
}

async function filesByPath(): Promise<Map<string, { type: string; body: Buffer }>> {
  const picture = sharp({ create: { width: 40, height: 30, channels: 3, background: "#369" } })
  const png = await picture.png().toBuffer()
  const jpeg = await picture.jpeg().toBuffer()
  return new Map([
    ["/photo.jpg", file("image/jpeg", jpeg)],
    ["/photo.png", file("image/png", png)],
    ["/photo.webp", file("image/webp", await picture.webp().toBuffer())],
    ["/voice.ogg", file("audio/ogg", "OggS and so on")],
    ["/page.html", file("text/html", "<script>alert(1)</script>")],
    ["/liar.jpg", file("image/jpeg", "<script>alert(1)</script>")],
    ["/cut.png", file("image/png", png.subarray(0, 60))],
    ["/bomb.png", file("image/png", hugePng(png))],
    ["/bomb.jpg", file("image/jpeg", hugeJpeg(jpeg))],
    ["/empty", file("image/jpeg", "")],
    ["/%ff", file("application/pdf", "%PDF-1.7")],
    ["/a%0d%0ab.pdf", file("application/pdf", "%PDF-1.7")],
  ])
}

function file(type: string, body: Buffer | string) {
  return { type, body: Buffer.from(body) }
}
