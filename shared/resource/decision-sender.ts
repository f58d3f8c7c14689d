import { randomBytes } from 'node:crypto';
import { isMap } from '../canonical.ts';
import { generatedManager } from '../identity.ts';
import { valueAt } from '../json.ts';
import { secret } from '../kinds/child-types/core.ts';
import {
  isSameType,
  type JsonObject,
  type KubeObject,
  keyOf,
  type ObjectVersion,
} from '../kubernetes.ts';
import { appliedTo, recordFor } from '../plan/decision/apply-records.ts';
import {
  type Fields,
  postponedIn,
  versionOf,
  type WriteDecision,
} from '../plan/decision/decision.ts';
import { expectedOutcome, type Outcome } from '../plan/decision/outcome.ts';
import { beingDeleted } from '../plan/decision/reasons.ts';
import type { Apply, DecisionRequest, Patch } from '../plan/decision/requests.ts';
import { type Difference, differencesBetween } from '../plan/drift/differences.ts';
import { withValues } from '../plan/drift/kept-values.ts';
import { fieldsHeld } from '../plan/drift/leftovers.ts';
import { manifestOf, salted } from '../plan/observed/apply-manifest.ts';
import { type ObservedChild, observeChild, openEntry } from '../plan/observed/observed.ts';
import { hasShortened } from '../plan/observed/short-text.ts';
import { getVersion } from '../reading/read.ts';
import { checkPrecondition } from './check-precondition.ts';
import { generateData } from './generate-data.ts';
import { staleWrite, type Turn } from './turn.ts';

/** Sends the requests of a decision. Locks each write to the version that the preceding write returned. */
export class DecisionSender {
  readonly #turn: Turn;
  readonly #decision: WriteDecision;
  /** Locks the next write; undefined if that write creates the child. */
  #lock: ObjectVersion | undefined;
  readonly #before: ObservedChild | undefined;
  #live: KubeObject | undefined;
  /** The outcome of the requests so far; undefined if they have changed nothing. */
  outcome: Outcome | undefined;

  constructor(turn: Turn, decision: WriteDecision) {
    this.#turn = turn;
    this.#decision = decision;
    this.#before = this.#current;
    if (decision.verb === 'create') return;
    if (decision.lock !== 'previous') this.#lock = decision.lock;
    else if (this.#before !== undefined) this.#lock = versionOf(this.#before);
  }

  async send(request: DecisionRequest): Promise<void> {
    if (this.outcome?.result === 'failed') return;
    switch (request.verb) {
      case 'check':
        return checkPrecondition(this.#turn, this.#decision, request);
      case 'get':
        this.#live = await getVersion(this.#cluster, this.#target, this.#version);
        if (this.#live === undefined) throw staleWrite(this.#decision);
        return;
      case 'apply':
        return this.#apply(request);
      case 'patch':
        return this.#patch(request);
      case 'delete':
        return this.#delete();
    }
  }

  get #cluster() {
    return this.#turn.writing.cluster;
  }

  get #target() {
    const { type, namespace, child } = this.#decision;
    return { type, namespace, name: child.name };
  }

  get #current(): ObservedChild | undefined {
    return this.#turn.world.children.get(keyOf(this.#decision.child));
  }

  get #recreates(): boolean {
    return this.#decision.verb === 'update' && this.#decision.recreates === true;
  }

  get #version(): ObjectVersion {
    if (this.#lock === undefined) throw staleWrite(this.#decision);
    return this.#lock;
  }

  async #apply(request: Apply): Promise<void> {
    const { manager } = request;
    const { type, verb } = this.#decision;
    const { world } = this.#turn;
    const before = this.#current;
    const isFirst = this.#lock === undefined && (verb === 'create' || this.#recreates);
    const sent = await this.#fieldsFor(request);
    const manifest = manifestOf(this.#decision, sent, isFirst ? 'absent' : this.#version);
    const response = this.#keep(await this.#cluster.apply(type, manifest, { manager }));
    if (manager !== world.identity.name) return this.#done(response);
    const since = { generation: world.resource.generation, before: appliedTo(world, before) };
    const record = recordFor(response, (this.#decision as Fields).fields, since);
    if (record !== undefined) world.applied.set(keyOf(response), record);
    const isPostponed = postponedIn(this.#decision) !== undefined;
    if (this.outcome !== undefined || isPostponed || !isUnchanged(before, response))
      this.#done(response, this.#differences(response));
  }

  async #fieldsFor(request: Apply): Promise<JsonObject> {
    const { manager, fields, generates } = request;
    if (generates !== undefined) {
      const target = { ...this.#target, exists: this.#lock !== undefined };
      const made = await generateData(this.#turn.writing, request, target);
      return { ...fields, data: { ...generatedBy(manager, this.#current), ...made } };
    }
    const { long = [] } = (this.#decision as Partial<Fields>).kept ?? {};
    const { identity } = this.#turn.world;
    const held = long.length > 0 && this.#live ? fieldsHeld(this.#live, identity) : undefined;
    const full = held ? withValues(fields, long, held) : fields;
    if (manager !== identity.name || !isSameType(this.#decision.type, secret)) return full;
    return salted(full, this.#current?.salt ?? randomBytes(16).toString('base64url'));
  }

  #differences(response: ObservedChild): Pick<Outcome, 'differences'> {
    const decision = this.#decision;
    if (decision.verb !== 'update' || this.#before === undefined) return {};
    const differences = differencesBetween(this.#before, response);
    if (decision.generates === undefined) return { differences };
    const generator = generatedManager(this.#turn.world.identity);
    // Removes our generator as the writer: it wrote the former data, but did not cause the difference.
    const withoutOwn = (one: Difference): Difference =>
      one.writer?.manager === generator ? { ...one, writer: undefined } : one;
    return { differences: differences.map(withoutOwn) };
  }

  async #patch({ manager, operations, ifLegacy }: Patch): Promise<void> {
    const changes = ifLegacy && this.#current?.legacy !== true ? [] : operations(this.#live);
    if (changes.length === 0) return;
    const patch = { manager, operations: changes, resourceVersion: this.#version.resourceVersion };
    this.#done(this.#keep(await this.#cluster.patch(this.#decision.type, this.#target, patch)));
  }

  async #delete(): Promise<void> {
    const { type, child } = this.#decision;
    const { world } = this.#turn;
    const lock = this.#version;
    const left = await this.#cluster.remove(type, this.#target, lock);
    this.#turn.wrote = true;
    if (left !== undefined) {
      const kept = this.#keep(left);
      if (!this.#recreates) return this.#done(kept, beingDeleted(child));
      // Plans again, because the child still exists: only once it is gone can it be created again.
      if (!this.#turn.share.once) throw staleWrite(this.#decision);
      const why = beingDeleted(child, '; a later run creates it again');
      this.outcome = { child, result: 'failed', transient: true, ...why };
      return;
    }
    world.children.delete(keyOf(child));
    world.absent.add(keyOf(child));
    this.#lock = undefined;
    if (!this.#recreates) this.#done(lock);
  }

  #keep(live: KubeObject): ObservedChild {
    const { world } = this.#turn;
    const { identity, resource } = world;
    const how = { identity, from: resource.namespace };
    const observed = observeChild(this.#decision.type, live, how);
    this.#turn.wrote = true;
    world.children.set(keyOf(observed), observed);
    world.absent.delete(keyOf(observed));
    this.#live = live;
    this.#lock = versionOf(observed);
    return observed;
  }

  #done({ uid, resourceVersion }: ObjectVersion, found: Partial<Outcome> = {}): void {
    const expected = this.outcome ?? expectedOutcome(this.#decision);
    this.outcome = { ...expected, ...found, version: `${uid}/${resourceVersion}` };
  }
}

/** Reports whether an apply changed neither a value nor the ownership of a field. */
const isUnchanged = (before: ObservedChild | undefined, after: ObservedChild): boolean =>
  before?.uid === after.uid && before.stored !== undefined && before.stored === after.stored;

/** Returns the values generated earlier, because an apply without these values would remove them. */
function generatedBy(manager: string, before: ObservedChild | undefined): JsonObject {
  const entry = before?.others.find((one) => one.manager === manager);
  const data = entry && valueAt(openEntry(entry).value, 'data');
  return isMap(data)
    ? Object.fromEntries(Object.entries(data).filter(([, value]) => !hasShortened(value ?? '')))
    : {};
}
