export * as AccountName from "./account-name.ts"

import { z } from "zod"

/** The most characters of a name. A browser's `maxlength` counts some characters as several. */
export const longest = 64

/**
 * A name that an account may have. People who link a phone for the account read it: it must be visible, must
 * not turn the direction of the text around it, and must contain no e-mail address.
 */
export const Name = z
  .string()
  .transform((text) => text.trim().replaceAll(/\s+/g, " "))
  .pipe(
    z
      .string()
      .min(1, "a name has at least one character")
      .refine((name) => !isTooLong(name), `a name has at most ${longest} characters`)
      .refine((name) => name.isWellFormed() && !/\p{Cc}/u.test(name), "a name has no control characters")
      .refine(
        (name) => !/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(name),
        "a name has no invisible characters that turn the direction of text: type it anew rather than paste it",
      )
      .refine(isVisible, "a name has at least one character that can be seen")
      .refine((name) => !hasAddress(name), "a name has no @: strangers would read an e-mail address in it")
      .refine((name) => !/whatsapp/.test(lettersOf(name)), "a name must not have WhatsApp in it"),
  )

/**
 * A name that an account's own people may choose. Only the operator may give one that promises trust to
 * strangers.
 */
export const Chosen = Name.refine(
  (name) => !isMixed(name),
  "a word of this name has letters of two alphabets, of which some look the same: write it in one",
)
  .refine(
    (name) => !makers.test(read(name)),
    "strangers would take this name for the maker of WhatsApp: only the operator of this service can give it",
  )
  .refine(
    (name) => !trust.test(read(name)),
    "strangers would take this name for a bank's or a help desk's: only the operator of this service can give it",
  )

/** Words of banks and of help desks, without accents, in the languages of the link page. */
const trust = wordsOf(
  "banks?|bank ?haus|banking|banc[oa]s?|banques?|sparkassen?|volksbank|raiffeisenbank",
  "(?:kunden)?support(?: ?team)?|soporte|suporte|supporto|security|sicherheit|securite|seguridad|seguranca|sicurezza",
  "official|offizielle?[rs]?|officiell?e?|oficial|ufficiale|verif\\p{L}*",
  "help ?desk|customer ?(?:care|service)|kunden ?(?:dienst|service)|services? clients?",
  "servicio (?:al|de atencion al) cliente|atencion al cliente|atendimento|servizio clienti|assistenza",
)
const makers = wordsOf("meta|facebook|instagram")

/** Finds any of these as whole words. A space stands for a space, an underscore or a hyphen. */
function wordsOf(...words: string[]): RegExp {
  return new RegExp(`(?<!\\p{L})(?:${words.join("|").replaceAll(" ", "[ _-]")})(?!\\p{L})`, "u")
}

/**
 * The name that strangers see; undefined while it contains an e-mail address, as a new account's name does.
 */
export function toStrangers({ name }: { name: string }): string | undefined {
  return hasAddress(name) ? undefined : name
}

/** Whether a name may contain an e-mail address, also one with a full-width @. */
function hasAddress(name: string): boolean {
  return name.normalize("NFKC").includes("@")
}

const characters = new Intl.Segmenter("en")

/** Whether a name has too many characters, as people count them: an emoji is one, whatever it is made of. */
export function isTooLong(name: string): boolean {
  return Array.from(characters.segment(name)).length > longest
}

/** Alphabets whose letters are taken for those of another one. */
const alphabets = ["Latin", "Cyrillic", "Greek", "Cherokee", "Armenian", "Coptic", "Lisu"].map(
  (name) => new RegExp(`\\p{Script=${name}}`, "u"),
)

/**
 * Whether a word has letters of two alphabets. One Greek letter before or after others is a sign, as in kΩ.
 */
function isMixed(name: string): boolean {
  const words = visible(name)
    .normalize("NFKC")
    .split(/[^\p{L}\p{M}]+/u)
  return words.some((word) => {
    const letters = word.replace(
      /^\p{Script=Greek}(?!\p{Script=Greek})|(?<!\p{Script=Greek})\p{Script=Greek}$/u,
      "",
    )
    return alphabets.filter((letter) => letter.test(letters)).length > 1
  })
}

/** A name without its invisible characters. */
function visible(name: string): string {
  return name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
}

/** Lower-case letters that look like these Latin ones. */
const alike = {
  a: "аαɑᴀ",
  b: "вʙ",
  c: "сᴄ",
  d: "ᴅ",
  e: "еεёᴇ",
  f: "ғꜰ",
  g: "ԍɡɢ",
  h: "һнʜ",
  i: "іιɪı",
  k: "кκᴋ",
  l: "ʟ",
  m: "мᴍ",
  n: "пɴ",
  o: "оοσᴏ",
  p: "рρᴘ",
  r: "гʀ",
  s: "ѕꜱ",
  t: "тτᴛ",
  u: "υᴜ",
  v: "ᴠ",
  w: "ԝωᴡ",
  y: "уγ",
}
const latin = new Map(
  Object.entries(alike).flatMap(([letter, others]) => Array.from(others).map((one) => [one, letter])),
)

/**
 * A name as people read it: lower-case, without accents, and with Latin letters in place of their
 * look-alikes.
 */
function read(name: string): string {
  const plain = visible(name).normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
  return Array.from(plain, (letter) => latin.get(letter) ?? letter).join("")
}

function lettersOf(name: string): string {
  return read(name)
    .replaceAll("vv", "w")
    .replaceAll(/[^\p{L}\p{N}]/gu, "")
}

/** Whether anything of a name shows. The blank of Braille, U+2800, is a symbol to Unicode. */
function isVisible(name: string): boolean {
  return /[^\p{Default_Ignorable_Code_Point}\p{Z}\p{C}\p{M}\u2800]/u.test(name)
}
