import type { KubeObject } from '../objects/object.ts';
import type { Target } from './target.ts';

/** A create or update of an object, dry runs included and subresources excluded. */
export interface Review {
  readonly resource: string;
  readonly group: string;
  readonly name: string;
  /** A private copy, with its defaults and managedFields. */
  readonly object: KubeObject;
}

/** Changes the object in place, or returns why it refuses the write. */
export type Webhook = (review: Review) => string | undefined;

export interface Webhooks {
  /** Adds a webhook; returns a function that removes it. */
  readonly add: (webhook: Webhook) => () => void;
  /** Returns the object as the webhooks leave it; throws a 403 if one refuses it. */
  readonly admit: (object: KubeObject, target: Target) => KubeObject;
  readonly clear: () => void;
}
