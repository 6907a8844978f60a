/**
 * An object that is made when it is first used, and not when its module is imported. Settings, the log and
 * the clients of AWS are such objects, so that imports have no order: an environment may be completed after
 * them. Whatever is done to the object is done to the made one.
 */
export function lazily<Made extends object>(make: () => Made): Made {
  let made: Made | undefined
  const it = () => (made ??= make())
  const empty = {} as Made // the traps below never look at it
  return new Proxy<Made>(empty, {
    get: (_, name) => {
      const value: unknown = Reflect.get(it(), name)
      // A method gets the made object as `this`: private fields cannot be reached through a proxy.
      return typeof value === "function" ? (value.bind(it()) as unknown) : value
    },
    set: (_, name, value) => Reflect.set(it(), name, value),
    has: (_, name) => Reflect.has(it(), name),
    getPrototypeOf: () => Reflect.getPrototypeOf(it()),
    ownKeys: () => Reflect.ownKeys(it()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(it(), name),
    defineProperty: (_, name, descriptor) => Reflect.defineProperty(it(), name, descriptor),
    deleteProperty: (_, name) => Reflect.deleteProperty(it(), name),
  })
}
