import type { FaultTarget } from './fault.ts';

/** A request as an interceptor receives it. */
export interface Intercepted extends FaultTarget {
  readonly body: string;
  /** With its query. */
  readonly path: string;
}

/**
 * Runs before a request is executed, so that a test can write in between. An error that it throws is answered as a 500.
 */
export type Interceptor = (request: Intercepted) => void | Promise<void>;

export type Intercept = (interceptor: Interceptor) => () => void;

export interface Interceptors {
  readonly add: Intercept;
  readonly run: (request: Intercepted) => Promise<void>;
  readonly clear: () => void;
}

/** Keeps the interceptors and runs them in the order they were added. */
export function createInterceptors(): Interceptors {
  const active = new Set<Interceptor>();
  return {
    add: (interceptor) => {
      const own: Interceptor = (request) => interceptor(request);
      active.add(own);
      return () => active.delete(own);
    },
    run: async (request) => {
      for (const interceptor of [...active]) await interceptor(request);
    },
    clear: () => active.clear(),
  };
}
