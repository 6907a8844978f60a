/** An answer that is not a success, in the form that dynalite gives its own. */
export class Refusal extends Error {
  readonly statusCode = 400
  readonly body: Record<string, unknown>

  /** `about`: further members of the body. */
  constructor(name: string, message: string, about: Record<string, unknown> = {}) {
    super(message)
    this.body = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, ...about }
  }

  static is(error: unknown): error is Pick<Refusal, "message" | "statusCode" | "body"> {
    return error instanceof Error && "statusCode" in error && "body" in error
  }

  /** The name alone, such as `TransactionCanceledException`. */
  static nameOf(refusal: Pick<Refusal, "body">) {
    return String(refusal.body.__type).split("#").at(-1)
  }
}
