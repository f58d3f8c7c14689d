const dayMs = 86_400_000;

/** `act` must be synchronous. */
export function aDayLater<T>(act: () => T): T {
  const Original = globalThis.Date;
  const now = (): number => Original.now() + dayMs;
  globalThis.Date = new Proxy(Original, {
    construct: (target, args: []) =>
      args.length === 0 ? new target(now()) : Reflect.construct(target, args),
    get: (target, field) => (field === 'now' ? now : Reflect.get(target, field)),
  });
  try {
    return act();
  } finally {
    globalThis.Date = Original;
  }
}
