// Preloaded into a gateway whose requests a test halts: timeouts of a second and more take twenty times as long.

const factor = 20;

globalThis.setTimeout = new Proxy(globalThis.setTimeout, {
  apply(plain, self, [act, ms, ...given]: [() => void, number?, ...unknown[]]) {
    return Reflect.apply(plain, self, [act, ms !== undefined && ms >= 1_000 ? ms * factor : ms, ...given]);
  },
});
