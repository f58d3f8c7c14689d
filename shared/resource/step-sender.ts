import { randomBytes } from 'node:crypto';
import { isMap } from '../canonical.ts';
import { present, valueAt } from '../json.ts';
import type { ChildType } from '../kinds/child-type.ts';
import { secret } from '../kinds/child-types/core.ts';
import {
  isSameType,
  type JsonObject,
  type KubeObject,
  keyOf,
  type ObjectVersion,
  titleOf,
} from '../kubernetes.ts';
import { versionOf, type WriteDecision } from '../plan/decision/decision.ts';
import { expectedOutcome, type Outcome } from '../plan/decision/outcome.ts';
import { beingDeleted } from '../plan/decision/reasons.ts';
import { appliedTo, recordFor } from '../plan/decision/records.ts';
import type { Apply, Patch, Step } from '../plan/decision/steps.ts';
import { differencesBetween } from '../plan/drift/differences.ts';
import { manifestOf, salted } from '../plan/observed/apply-manifest.ts';
import { type ObservedChild, observeChild, openEntry } from '../plan/observed/observed.ts';
import { hasShortened } from '../plan/observed/short-text.ts';
import type { Run } from '../run/run.ts';
import type { ReconcileState } from '../run/state.ts';
import { checkPrecondition } from './check-precondition.ts';
import { generateData } from './generate-data.ts';
import { StaleError } from './stale.ts';

/** Sends the steps of a decision, each locked to the result of the one before. Stores the responses in the world. */
export class StepSender {
  readonly #run: Run;
  readonly #state: ReconcileState;
  readonly #decision: WriteDecision;
  /** The version that the next write is locked to; undefined before the first write of a create. */
  #lock: ObjectVersion | undefined;
  /** The child as it was before the first write. */
  readonly #before: ObservedChild | undefined;
  #live: KubeObject | undefined;
  #outcome: Outcome | undefined;
  /** True once a patch was sent or data was generated: the answer to our own apply does not show these changes. */
  #hasChanged = false;

  constructor(run: Run, state: ReconcileState, decision: WriteDecision) {
    this.#run = run;
    this.#state = state;
    this.#decision = decision;
    this.#before = state.world.children.get(keyOf(decision.child));
    if (decision.verb === 'create') return;
    if (decision.lock !== 'previous') this.#lock = decision.lock;
    else if (this.#before !== undefined) this.#lock = versionOf(this.#before);
  }

  /** Sends one step. Returns the outcome if the step made a write to report. */
  async send(step: Step): Promise<Outcome | undefined> {
    switch (step.verb) {
      case 'check':
        await checkPrecondition(this.#run, this.#state, this.#decision, step);
        return undefined;
      case 'get':
        await this.#get();
        return undefined;
      case 'apply':
        return this.#apply(step);
      case 'patch':
        return this.#patch(step);
      case 'delete':
        return this.#delete();
    }
  }

  get #recreates(): boolean {
    return this.#decision.verb === 'update' && this.#decision.recreates === true;
  }

  get #key() {
    return { namespace: this.#decision.namespace, name: this.#decision.child.name };
  }

  /** The lock of the next write. */
  get #version(): ObjectVersion {
    if (this.#lock === undefined) throw this.#stale();
    return this.#lock;
  }

  #stale(): StaleError {
    const { verb, child } = this.#decision;
    return new StaleError(`${verb} ${titleOf(child)}`, { decision: this.#decision });
  }

  async #get(): Promise<void> {
    const { uid, resourceVersion } = this.#version;
    const live = await this.#run.cluster.get(this.#decision.type, this.#key);
    if (live?.metadata.uid !== uid || live.metadata.resourceVersion !== resourceVersion)
      throw this.#stale();
    this.#live = live;
  }

  async #apply(step: Apply): Promise<Outcome | undefined> {
    const { manager, fields, generates } = step;
    const { type, verb } = this.#decision;
    const isFirst = this.#lock === undefined && (verb === 'create' || this.#recreates);
    const isOwn = manager === this.#run.clients.identity.name;
    const { world } = this.#state;
    const before = world.children.get(keyOf(this.#decision.child));
    const whole =
      isOwn && isSameType(type, secret) ? salted(fields, before?.salt ?? newSalt()) : fields;
    const { namespace } = this.#decision;
    const data = generates && {
      ...generatedBy(manager, before),
      ...(await generateData(this.#run, step, namespace)),
    };
    const sent = { ...whole, ...present({ data }) };
    const manifest = manifestOf(this.#decision, sent, isFirst ? 'absent' : this.#version);
    const live = await this.#run.cluster.apply(type, manifest, { manager });
    const answer = this.#keep(live);
    if (!isOwn) {
      this.#hasChanged ||= generates !== undefined;
      return undefined;
    }
    const { generation } = world.resource;
    const record = recordFor(answer, fields, { generation, before: appliedTo(world, before) });
    if (record !== undefined) world.applied.set(keyOf(answer), record);
    const { child } = this.#decision;
    return !this.#hasChanged && isUnchanged(before, answer)
      ? { child, result: 'unchanged' }
      : { ...this.#done(answer), ...this.#differences(answer) };
  }

  /** Returns what the update changed, by the server's response. */
  #differences(answer: ObservedChild): Pick<Outcome, 'differences'> {
    return this.#decision.verb === 'update' && this.#before !== undefined
      ? { differences: differencesBetween(this.#before, answer) }
      : {};
  }

  async #patch({ manager, operations, ifLegacy }: Patch): Promise<Outcome | undefined> {
    const { verb, type, child } = this.#decision;
    const isLegacy = this.#state.world.children.get(keyOf(child))?.legacy === true;
    const changes = ifLegacy && !isLegacy ? [] : operations(this.#live);
    if (changes.length === 0) return undefined;
    const { resourceVersion } = this.#version;
    const how = { manager, resourceVersion, operations: changes };
    const answer = this.#keep(await this.#run.cluster.patch(type, this.#key, how));
    this.#hasChanged = true;
    // The patch that removes incompatible fields is only the first half of an update, so it has no outcome.
    return verb !== 'update' || this.#outcome !== undefined ? this.#done(answer) : undefined;
  }

  async #delete(): Promise<Outcome | undefined> {
    const { type, child } = this.#decision;
    const { uid, resourceVersion } = this.#version;
    const left = await this.#run.cluster.remove(type, this.#key, { uid, resourceVersion });
    const { world } = this.#state;
    this.#state.wrote = true;
    if (left !== undefined) {
      this.#keep(left);
      // Plans again: the child lingers, and is created again once it is gone.
      if (this.#recreates) throw this.#stale();
      return { child, result: 'skipped', ...beingDeleted(child) };
    }
    world.children.delete(keyOf(child));
    world.absent.add(keyOf(child));
    this.#lock = undefined;
    return this.#recreates ? undefined : expectedOutcome(this.#decision);
  }

  #keep(live: KubeObject): ObservedChild {
    const observed = keepAnswer(this.#state, this.#decision.type, live);
    this.#live = live;
    this.#lock = versionOf(observed);
    return observed;
  }

  /** Returns the outcome so far. Only the first write has the differences, so that they are not reported twice. */
  #done({ uid, resourceVersion }: ObservedChild): Outcome {
    const { differences: _, ...recorded } = this.#outcome ?? {};
    const before = this.#outcome === undefined ? expectedOutcome(this.#decision) : recorded;
    this.#outcome = { ...before, version: `${uid}/${resourceVersion}` } as Outcome;
    return this.#outcome;
  }
}

/** Reports whether an apply changed neither a value nor the ownership of a field. */
const isUnchanged = (before: ObservedChild | undefined, after: ObservedChild): boolean =>
  before?.uid === after.uid && before.stored !== undefined && before.stored === after.stored;

const newSalt = (): string => randomBytes(16).toString('base64url');

/** Returns the values that the manager generated before, because an apply without them would remove them. */
function generatedBy(manager: string, before: ObservedChild | undefined): JsonObject {
  const entry = before?.others.find((one) => one.manager === manager);
  const data = entry && valueAt(openEntry(entry).value, 'data');
  return isMap(data)
    ? Object.fromEntries(Object.entries(data).filter(([, value]) => !hasShortened(value ?? '')))
    : {};
}

/** Stores the object that a write returned in the world. */
function keepAnswer(state: ReconcileState, type: ChildType, live: KubeObject): ObservedChild {
  const { world } = state;
  const { identity, resource } = world;
  const observed = observeChild(type, live, { identity, from: resource.namespace });
  state.wrote = true;
  world.children.set(keyOf(observed), observed);
  world.absent.delete(keyOf(observed));
  return observed;
}
