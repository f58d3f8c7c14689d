import type { FaultTarget } from './fault.ts';

/**
 * Runs before a request is carried out, so that another writer can be slipped in. It is handed what
 * a fault goes by, and the body as it was sent; what it throws is the answer, a 500.
 */
export type Interceptor = (
  request: FaultTarget & { readonly body: string },
) => void | Promise<void>;

export type Intercept = (interceptor: Interceptor) => () => void;

export interface Interceptors {
  readonly add: Intercept;
  readonly run: (request: FaultTarget & { readonly body: string }) => Promise<void>;
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
