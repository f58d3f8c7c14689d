import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import { type AuditRelay, startAuditRelay } from '../../infra/start/audit-relay/relay.ts';
import { textAt } from '../../shared/json.ts';
import { kinds } from '../support/config.ts';
import { awaitGarbageCollector, installAll } from './definitions.ts';
import { eventually } from './eventually.ts';
import { type Code, createFunctions, type Functions } from './functions.ts';
import { createJournal, type Journal } from './journal.ts';
import { openTestCluster, reconciler, type TestClusterName } from './test-cluster.ts';

/** A cluster with everything installed and the two functions running. */
export interface Stage {
  readonly ground: TestClusterName;
  readonly admin: Client;
  /** Environment that connects the command as the reconciler's user. */
  readonly env: Readonly<Record<string, string>>;
  readonly journal: Journal;
  readonly relay: AuditRelay;
  readonly functions: Functions;
  /** Namespaces whose audit entries are delivered; other namespaces are only resynced. */
  readonly audited: Set<string>;
  /** Returns a node port that no other scenario on this stage gets. */
  nodePort(): number;
  /** Installs CRDs and permissions, and waits until they take effect. */
  install(): Promise<void>;
  /** Resolves once the garbage collector watches our kinds. */
  garbageCollected(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Flow: the audit log of the cluster is written to the journal; the relay delivers it to the audit function
 * for namespaces whose scenario asked for it.
 * Guarantees: `close` leaves no process behind.
 */
export async function openStage(name: TestClusterName, code?: Code): Promise<Stage> {
  const journal = createJournal();
  const audited = new Set<string>();
  const isAudited = (event: unknown): boolean =>
    audited.has(textAt(event, 'objectRef', 'namespace') ?? '');
  let relay: AuditRelay | undefined;
  const ground = await openTestCluster(name, (events) => {
    for (const event of events) journal.hear(event);
    relay?.accept(events.filter(isAudited));
  });
  const admin = createClient(ground.admin);
  const functions = createFunctions(ground.env, journal, code);
  const close = async (): Promise<void> => {
    await relay?.stop();
    await functions.stop();
    await admin.close();
    await ground.stop();
  };
  try {
    await functions.start();
    relay = await startAuditRelay({
      push: functions.url('audit'),
      kinds,
      ownIdentity: [reconciler],
      delivery: { concurrency: 64 },
      log: (message, fields) => journal.log('relay', JSON.stringify({ message, ...fields })),
    });
    const install = () => installAndWait(admin, functions);
    await install();
    const collector = awaitGarbageCollector(admin);
    collector.catch(() => undefined);
    const garbageCollected = () => collector;
    const nodePort = numbersOf(nodePorts);
    const common = { ground: name, env: ground.env, admin, journal, relay, functions, audited };
    return { ...common, nodePort, install, garbageCollected, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Node ports. No cluster assigns those up to 30085 automatically; retries may need more. */
const nodePorts = { first: 30_000, last: 30_185 };

function numbersOf({ first, last }: typeof nodePorts): () => number {
  let next = first;
  return () => {
    if (next > last) throw new Error(`all node ports up to ${last} are given out`);
    return next++;
  };
}

/** Installs permissions and CRDs, and waits until they take effect. */
async function installAndWait(admin: Client, functions: Functions): Promise<void> {
  await installAll(admin);
  await eventually(async () => {
    const { incomplete } = await functions.resync();
    if (incomplete.length > 0) throw new Error(incomplete.map(({ error }) => error).join('; '));
  });
}
