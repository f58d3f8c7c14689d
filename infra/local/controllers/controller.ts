import type { ApiServer } from '../api-server/dispatch/api-server.ts';
import type { Change } from '../api-server/storage/stored.ts';
import type { ControllerClient } from './client.ts';
import type { Work } from './work.ts';

/** What every controller is given. */
export interface ControllerContext {
  readonly server: ApiServer;
  readonly work: Work;
  /** A client under the identity of the named controller. */
  readonly client: (controller: string) => ControllerClient;
  readonly podsReadyAfterMs: number;
}

/** A controller: it is notified within the commit and acts later. */
export interface Controller {
  readonly onChange: (change: Change) => void;
}
