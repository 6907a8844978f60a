// A receiver to try things with: prints each event, and whether it is genuine.
//   WEBHOOK_SECRET=whsec_... node docs/receivers/receiver.js
import { createServer } from "node:http"
import { isGenuine } from "./verify.js"

const secret = process.env.WEBHOOK_SECRET ?? ""
const port = Number(process.env.PORT ?? 9000)
if (!secret) console.log("WEBHOOK_SECRET is not set: nothing will be found genuine, and all is answered 401")

const server = createServer((request, response) => {
  const chunks = []
  request.on("data", (chunk) => chunks.push(chunk))
  request.on("end", () => {
    const rawBody = Buffer.concat(chunks)
    const genuine = isGenuine(rawBody, request.headers["x-webhook-signature"], secret)
    console.log(
      genuine ? "genuine" : "NOT GENUINE",
      request.headers["x-webhook-event-id"],
      rawBody.toString(),
    )
    response.writeHead(genuine ? 200 : 401).end()
  })
})
server.on("error", (error) => {
  console.error(error.code === "EADDRINUSE" ? `port ${port} is taken: choose another with PORT=...` : error)
  process.exitCode = 1
})
server.listen(port, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${port}/`))
