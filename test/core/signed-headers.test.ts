import { createHmac } from "node:crypto"
import { expect, test } from "vitest"
import { Receiver } from "#core/event/receiver.ts"

test("the standard signature is that of Standard Webhooks' own example", () => {
  const headers = Receiver.signedHeaders({
    secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    attempt: 1,
    body: Buffer.from(`{"test": 2432232314}`),
    timestamp: 1_614_265_330,
  })
  expect(headers).toMatchObject({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  })
})

test("our own signature is keyed with the whole secret, over the timestamp, a dot and the bytes", () => {
  const body = Buffer.from([0x7b, 0xc3, 0xa4, 0xff, 0x7d])
  const headers = Receiver.signedHeaders({
    secrets: ["whsec_c2VjcmV0"],
    id: "evt_1",
    attempt: 3,
    body,
    timestamp: 17,
  })
  const v1 = createHmac("sha256", "whsec_c2VjcmV0")
    .update(Buffer.concat([Buffer.from("17."), body]))
    .digest("hex")
  expect(headers).toMatchObject({
    authorization: "Bearer whsec_c2VjcmV0",
    "content-type": "application/json",
    "x-webhook-signature": `t=17,v1=${v1}`,
    "x-webhook-event-id": "evt_1",
    "x-webhook-attempt": "3",
  })
})
