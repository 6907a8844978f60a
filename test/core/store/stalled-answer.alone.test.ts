import "#test/support/store.ts"
import { createServer } from "node:http"
import { expect, onTestFinished, test } from "vitest"
import { config } from "#core/platform/config.ts"
import { askByHttp } from "#core/store/client.ts"
import { listen } from "#one-machine/listen.ts"

test("an answer of the store that begins and does not end is given up", async () => {
  const server = createServer((_request, response) => {
    response
      .writeHead(200, { "content-type": "application/x-amz-json-1.0", "content-length": 100 })
      .write("{")
  })
  const before = config.AWS_ENDPOINT_URL_DYNAMODB
  config.AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${await listen(server)}`
  onTestFinished(() => {
    config.AWS_ENDPOINT_URL_DYNAMODB = before
    server.close()
    server.closeAllConnections()
  })
  const answer = askByHttp(1)("GetItem", { TableName: "Any", Key: {} }, { once: true })
  await expect(answer).rejects.toMatchObject({ name: "TimeoutError" })
})
