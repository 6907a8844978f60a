import type { Stage } from "../stage.ts"

/** What each judge is told: where the service is, with which key, and about whom. */
export async function aboutOf(stage: Stage, ref: string) {
  const { service, customer, files, folder } = stage
  const { owner, friend, text, picture } = await stage.linked(ref)
  return {
    url: `${service.baseUrl}/evolution`,
    key: customer.key,
    token: await stage.keyFor(ref),
    instance: ref,
    files: files.url,
    picture_base64: files.picture.toString("base64"),
    sound_base64: files.sound.toString("base64"),
    folder,
    owner,
    friend,
    text,
    picture,
    phones: service.phonesUrl,
  }
}
