import { expect, test } from "vitest"
import { wordsOf } from "#dashboard/events/message-words.ts"

const text = { body: "", type: "text", media_type: "" } as const
const file = { name: "a.pdf", content_type: "application/pdf", size: 9, pages: 2 }
const order = { id: "O", token: "", title: "", item_count: 2, amount: 12.5, currency: "EUR" }
const reacted = (emoji: string) => ({ emoji, message_id: "T", chat_id: "c", contact_id: "p" })

test.for<[Parameters<typeof wordsOf>[0], string]>([
  [{ ...text, body: "hello\nworld" }, "hello · world"],
  [{ ...text, body: "👩‍👩‍👧".repeat(64) }, "👩‍👩‍👧".repeat(64)],
  [{ ...text, body: "👩‍👩‍👧".repeat(400) }, `${"👩‍👩‍👧".repeat(299)}…`],
  [{ ...text, body: "x".repeat(400) }, `${"x".repeat(299)}…`],
  [
    { ...text, type: "media", media_type: "document", body: "For you", file },
    "Document a.pdf, 2 pages: For you",
  ],
  [
    { ...text, type: "unknown", unknown_kind: "musicMessage" },
    "A kind that cannot be read yet, musicMessage",
  ],
  [{ ...text, body: "please", order }, "Order of 2, 12.5 EUR: please"],
  [{ ...text, body: "Soup", tapped: { id: "s", text: "Soup" } }, "Chose: Soup"],
  [{ ...text, payment: { kind: "declined" } }, "Payment, declined"],
  [
    {
      ...text,
      type: "contact",
      body: "Ada",
      contacts: [{ name: "Ada", phones: ["+49 1", "030"], vcard: "" }],
    },
    "Contact card: Ada, +49 1 and 030",
  ],
  [{ ...text, edit: "revoke", target_id: "T" }, "took a message back"],
  [{ ...text, edit: "revoke" }, "taken back"],
  [{ ...text, body: "new", edit: "edit", target_id: "T" }, "new (edited)"],
  [{ ...text, body: "safe\u202Etxt.exe" }, "safetxt.exe"],
  [{ ...text, type: "reaction", reaction: reacted("👩‍👩‍👧") }, "reacted 👩‍👩‍👧"],
  [{ ...text, type: "reaction", reaction: reacted("\u202Eab".repeat(500)) }, "reacted aba…"],
  [{ ...text }, "a change of another message"],
])("%o is said as %s", ([message, words]) => {
  expect(wordsOf(message)).toBe(words)
})
