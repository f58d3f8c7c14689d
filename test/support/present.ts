/** Returns a stand-in for a value that hooks set; each property is read from the latest value. */
export const present = <T extends object>(value: () => T | undefined): T =>
  new Proxy({} as T, {
    get(_, name) {
      const found = value();
      if (found === undefined) throw new Error(`${String(name)} is read before the hooks have run`);
      return Reflect.get(found, name);
    },
  });
