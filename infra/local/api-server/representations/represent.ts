import { internal, wrongForm } from '../errors/api-errors.ts';
import { jsonText } from '../json/text.ts';
import type { JsonObject } from '../json/value.ts';
import { groupVersionOf, type Served } from '../resources/resource.ts';
import { readIn } from '../resources/target.ts';
import { type Stored, textOf } from '../storage/stored.ts';
import type { ListOutcome, Outcome } from '../verbs/call.ts';
import { partial, type Representing } from './partial.ts';
import { includeOf, tableOf } from './table.ts';

/** Returns the JSON text of an answer. */
export function represent(
  outcome: Exclude<Outcome, { kind: 'watch' }>,
  representing: Representing,
): string {
  switch (outcome.kind) {
    case 'value':
      return jsonText(outcome.isReview ? shownReview(outcome.value, representing) : outcome.value);
    case 'status':
      // A Status has no table, but an invalid query for one is refused all the same.
      if (representing.media.as === 'table') includeOf(representing.query);
      return jsonText(outcome.status);
    case 'object':
      return objectText(outcome.served, outcome.stored, representing);
    case 'list':
      return listText(outcome, representing);
  }
}

/** Represents a review in the requested form; its metadata is empty. */
function shownReview(review: JsonObject, { media }: Representing): JsonObject {
  const { as, metaVersion } = media;
  if (as === 'metadata-list') {
    const group = String(review.apiVersion).split('.', 1)[0];
    throw wrongForm(
      `you requested PartialObjectMetadataList, but the requested object is not a list (*${group}.${review.kind})`,
    );
  }
  if (as !== 'metadata') return review;
  const apiVersion = `meta.k8s.io/${metaVersion}`;
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: review.metadata };
}

/** One object as asked for. */
export function objectText(served: Served, stored: Stored, representing: Representing): string {
  const { as, metaVersion } = representing.media;
  if (as === 'metadata-list') {
    if (served.resource.custom) throw internal('content is not a list');
    throw wrongForm(
      `you requested PartialObjectMetadataList, but the requested object is not a list (${goTypeOf(served, served.resource.kind)})`,
    );
  }
  if (as === 'table') {
    return jsonText(tableOf(served, [stored], { ...representing, metadata: versionOf(stored) }));
  }
  if (as === 'metadata') return jsonText(partial(stored, metaVersion));
  return plainText(served, stored);
}

function versionOf({ revision }: Stored): JsonObject {
  return { resourceVersion: String(revision) };
}

/** Returns the object's stored text, or converts it if this version has another form. */
function plainText(served: Served, stored: Stored): string {
  return served.version.conversion
    ? jsonText(readIn(served, stored))
    : textOf(stored, groupVersionOf(served), served.resource.kind);
}

// A list of custom resources always has a field `continue`, perhaps empty.
function listMetadata({ served, revision, next, remaining }: ListOutcome): JsonObject {
  return {
    ...(next !== undefined || served.resource.custom ? { continue: next ?? '' } : {}),
    resourceVersion: String(revision),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  };
}

/** The Go type in messages. */
function goTypeOf({ resource }: Served, kind: string): string {
  if (resource.custom) return `*unstructured.Unstructured${kind === resource.kind ? '' : 'List'}`;
  const isCore = resource.group === '' || resource.kind === 'Event';
  return `*${isCore ? 'core' : resource.group.split('.', 1)[0]}.${kind}`;
}

function listText(outcome: ListOutcome, representing: Representing): string {
  const { served, entries } = outcome;
  const { as, metaVersion } = representing.media;
  const metadata = listMetadata(outcome);
  if (as === 'metadata') {
    throw wrongForm(
      `you requested PartialObjectMetadata, but the requested object is a list (${goTypeOf(served, served.resource.listKind)})`,
    );
  }
  if (as === 'table') {
    const { continue: next, ...rest } = metadata;
    const shown = next ? metadata : rest;
    return jsonText(tableOf(served, entries, { ...representing, metadata: shown }));
  }
  const head = (kind: string, apiVersion: string): string =>
    `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${jsonText(metadata)},"items":[`;
  if (as === 'metadata-list') {
    const items = entries.map((stored) => jsonText(partial(stored, metaVersion)));
    // Go encodes a nil slice as null.
    if (items.length === 0)
      return `${head('PartialObjectMetadataList', `meta.k8s.io/${metaVersion}`).slice(0, -1)}null}`;
    return `${head('PartialObjectMetadataList', `meta.k8s.io/${metaVersion}`)}${items.join(',')}]}`;
  }
  const items = entries.map((stored) => itemText(served, stored));
  return `${head(served.resource.listKind, groupVersionOf(served))}${items.join(',')}]}`;
}

// Only lists of custom resources have apiVersion and kind in every item.
function itemText(served: Served, stored: Stored): string {
  if (served.resource.custom) return plainText(served, stored);
  if (!served.version.conversion) return stored.body;
  const { apiVersion: _version, kind: _kind, ...rest } = readIn(served, stored);
  return jsonText(rest);
}
