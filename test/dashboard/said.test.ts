import { expect, test } from "vitest"
import { folded, Said } from "#dashboard/conversations/said.ts"

const said = (fields: object): Said =>
  Said.parse({
    chat_id: "1203@g.us",
    contact_id: "49171@s.whatsapp.net",
    phone: "49171",
    name: "Eve",
    from_me: false,
    timestamp: 1,
    is_group: true,
    type: "text",
    media_type: "",
    ...fields,
  })

test("a message with the id of another writer's hides and changes nothing of it", () => {
  const ours = said({ message_id: "A", body: "No discount", from_me: true, contact_id: "1@s.whatsapp.net" })
  const forged = said({ message_id: "A", body: "Mine", timestamp: 2 })
  const edit = { message_id: "B", target_id: "A", edit: "edit", timestamp: 3 }
  const changed = said({ ...edit, body: "Half price for all" })
  const liked = said({
    message_id: "C",
    type: "reaction",
    body: "👍",
    target_id: "A",
    reaction: { emoji: "👍", message_id: "A", chat_id: "1203@g.us", contact_id: "1@s.whatsapp.net" },
    timestamp: 4,
  })
  const shown = folded([liked, changed, forged, ours])
  expect(shown.map(({ from_me, body, reactions }) => [from_me, body, reactions.length])).toEqual([
    [true, "No discount", 1],
    [false, "Half price for all", 0],
  ])
})
