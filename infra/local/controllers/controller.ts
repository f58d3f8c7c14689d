import type { ApiServer } from '../api-server/dispatch/api-server.ts';
import type { Change } from '../api-server/storage/stored.ts';
import type { ControllerClient } from './client.ts';
import type { Work } from './work.ts';

/** What every controller is given. */
export interface ControllerContext {
  readonly server: ApiServer;
  readonly work: Work;
  /** Returns a client under the identity of the named controller. */
  readonly client: (controller: string) => ControllerClient;
  readonly podsReadyAfterMs: number;
}

/** A controller, which is notified within a commit and acts in a later turn. */
export interface Controller {
  readonly onChange: (change: Change) => void;
}
