import { isInvalid, KubeError } from '../../cluster/cluster-errors.ts';
import {
  type JsonObject,
  type KubeObject,
  keyOf,
  type ObjectVersion,
  titleOf,
} from '../../kubernetes.ts';
import type { Question } from '../../plan/decision/decision.ts';
import { trialName } from '../../plan/decision/requests.ts';
import { manifestOf, salted } from '../../plan/observed/apply-manifest.ts';
import { type ObservedChild, observeChild, openEntry } from '../../plan/observed/observed.ts';
import { shortJson } from '../../plan/observed/short-text.ts';
import type { Asked } from '../../plan/observed/world.ts';
import { getVersion } from '../../reading/read.ts';
import type { LiveWorld, Run } from '../../run/run.ts';
import { StaleError } from '../stale.ts';

export type DryRunResult = Pick<Asked, 'after' | 'untangles' | 'refusal'>;

/** Sends the dry runs and reads about one child. They write nothing. */
export class Inquiry {
  readonly run: Run;
  readonly world: LiveWorld;
  readonly question: Question;
  readonly child: ObservedChild | undefined;
  /** The fields to apply, with the salt of a Secret. */
  readonly sent: JsonObject;

  constructor(run: Run, world: LiveWorld, question: Question) {
    const { child, fields } = question;
    this.run = run;
    this.world = world;
    this.question = question;
    this.child = world.children.get(keyOf(child));
    const salt = this.child?.salt;
    this.sent = salt === undefined ? fields : salted(fields, salt);
  }

  apply(fields = this.sent): Promise<KubeObject> {
    return this.#dryRun(fields, this.question.lock);
  }

  /** Dry-runs the creation of an object with these fields; returns undefined if the server refuses it. */
  create(fields: JsonObject): Promise<KubeObject | undefined> {
    return this.#dryRun(fields, 'absent').catch(() => undefined);
  }

  /** Dry-runs a patch; returns the patched object, or the server's refusal. */
  async patch(operations: readonly JsonObject[]): Promise<KubeObject | KubeError> {
    const { resourceVersion } = this.question.lock;
    const { name: manager } = this.world.identity;
    const patch = { manager, resourceVersion, operations, dryRun: true } as const;
    try {
      return await this.run.cluster.patch(this.question.type, this.#target, patch);
    } catch (error) {
      if (isRefusal(error)) return error;
      throw error;
    }
  }

  /** Reads the child, which must still have the version that the question is about. */
  async read(): Promise<KubeObject> {
    const live = await getVersion(this.run.cluster, this.#target, this.question.lock);
    if (live === undefined) throw this.stale();
    return live;
  }

  stale(): StaleError {
    const { child, type } = this.question;
    return new StaleError(`compare ${titleOf(child)}`, { changed: { ...child, type } });
  }

  observe(live: KubeObject): ObservedChild {
    const { identity, resource } = this.world;
    return observeChild(this.question.type, live, { identity, from: resource.namespace });
  }

  /** Returns the patched child as our apply will leave it: the apply changes only the owners of these fields. */
  observeApplied(patched: KubeObject): ObservedChild {
    const child = this.observe(patched);
    const entries = [...(child.ours ? [child.ours] : []), ...child.others].map(openEntry);
    const listKeys = Object.assign({}, ...entries.map((one) => one.listKeys));
    const shape = JSON.stringify({ listKeys, leafMaps: [] });
    const values = shortJson(this.question.fields);
    return { ...child, ours: { manager: '', time: undefined, values, shape } };
  }

  get #target() {
    const { type, namespace, child } = this.question;
    return { type, namespace, name: child.name };
  }

  #dryRun(fields: JsonObject, lock: ObjectVersion | 'absent'): Promise<KubeObject> {
    const { type, namespace, name } = this.#target;
    // Tries a create under another name, because the child exists.
    const child = { ...this.question.child, name: lock === 'absent' ? trialName(name) : name };
    const manifest = manifestOf({ child, namespace }, fields, lock);
    const { name: manager } = this.world.identity;
    return this.run.cluster.apply(type, manifest, { manager, dryRun: true });
  }
}

/** Reports whether the server refuses the object: as invalid, or with 500 for two equal node ports. */
export const isRefusal = (error: unknown): error is KubeError =>
  error instanceof KubeError && (isInvalid(error) || error.code === 500);

export const fieldsOf = ({ causes }: KubeError): readonly string[] =>
  causes.flatMap(({ field }) => field ?? []);
