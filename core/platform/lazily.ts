/**
 * An object that is made when it is first used, and not when its module is imported. The log and the clients
 * of AWS are such objects, so that imports have no order: settings may be given after them.
 */
export function lazily<Made extends object>(make: () => Made): Made {
  let made: Made | undefined
  return standingFor(() => (made ??= make()))
}

/** Stands for the object that `it` returns at that moment: what is done to the one is done to the other. */
export function standingFor<Made extends object>(it: () => Made): Made {
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
