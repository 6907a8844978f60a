import { join } from "node:path"
import { admin, type Running, start } from "#test/support/service/killable-service.ts"

interface Host {
  network: object
  beat: number
  dir: string
  /** What its processes and the verbs of `admin` are given beside their settings. */
  environment?: Record<string, string>
}

const passphrase = "the passphrase of a trial"

/** A service that is killed and started again, in its data folder. */
export class Place {
  readonly name: string
  readonly #host: Host
  #running: Running | undefined

  private constructor(name: string, host: Host) {
    this.name = name
    this.#host = host
  }

  static async begin(name: string, host: Host): Promise<Place> {
    const place = new Place(name, host)
    await place.#start()
    return place
  }

  /** Undefined while it does not run. */
  get baseUrl(): string | undefined {
    return this.#running?.baseUrl
  }

  get newAccount(): Running["newAccount"] {
    return this.#running!.newAccount // it runs from the beginning
  }

  admin(...words: string[]): ReturnType<typeof admin> {
    const settings = { DATA_DIR: this.#dataDir, MOVE_PASSPHRASE: passphrase }
    return admin({ ...settings, ...this.#host.environment }, ...words)
  }

  /** SIGKILL, and a start on what that leaves. */
  async restart(): Promise<void> {
    await this.kill()
    await this.#start()
  }

  readonly kill = async (): Promise<void> => {
    const dying = this.#running
    this.#running = undefined
    await dying?.kill()
  }

  get #dataDir(): string {
    return join(this.#host.dir, `data-${this.name}`)
  }

  async #start(): Promise<void> {
    const { network, beat, dir, environment } = this.#host
    const output = join(dir, "logs", `service-${this.name}.out`)
    this.#running = await start(network, { dataDir: this.#dataDir, beat, output, environment })
  }
}
