import type { Authorizer } from '../authorization/rbac.ts';
import type { ServerState } from '../resources/server-state.ts';

/** What every request works on. */
export interface ApiServer extends ServerState {
  readonly authorizer: Authorizer;
  /** The version of Kubernetes that the server behaves like. */
  readonly version: string;
}
