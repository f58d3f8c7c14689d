import type { WriteContext } from '../resources/strategy.ts';
import type { ApiServer } from '../server.ts';
import type { Writer } from './target.ts';

export const contextOf = (server: ApiServer, writer: Pick<Writer, 'dryRun'>): WriteContext => ({
  store: server.store,
  services: server.services,
  now: server.clock(),
  dryRun: writer.dryRun,
});
