/** An iq the network will not answer as asked; `code` is what the error node carries. */
export class Refusal extends Error {
  override name = "Refusal"
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export function badRequest() {
  return new Refusal(400, "bad-request")
}

export function notFound() {
  return new Refusal(404, "item-not-found")
}
