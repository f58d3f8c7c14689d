import { isAlreadyExists, messageOf } from '../cluster/cluster-errors.ts';
import type { Subject } from '../plan/observed/world.ts';
import { type EventRecord, eventManifest, eventType } from '../plan/status/kubernetes-events.ts';
import { type Run, timestamp } from './run.ts';

export async function postEvents(run: Run, subject: Subject, events: readonly EventRecord[]) {
  for (const event of events) {
    const manifest = eventManifest(subject, event, timestamp(run.clients.now()));
    try {
      await run.cluster.create(eventType, manifest);
    } catch (error) {
      if (!isAlreadyExists(error))
        run.clients.log.warning('event not posted', { error: messageOf(error) });
    }
  }
}
