import type { Kind } from '../../shared/kinds/kind.ts';
import { groupResource, type JsonObject } from '../../shared/kubernetes.ts';
import { openApi, refusalOf } from './api.ts';
import { definitionType } from './definitions.ts';
import { eventually } from './eventually.ts';
import type { Place } from './place.ts';

const schemaPath = '/spec/versions/0/schema/openAPIV3Schema';
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** Stores resources, by name, that the schema refuses but an older schema may have accepted. */
export async function letIn(
  place: Place,
  kind: Kind,
  specs: Readonly<Record<string, JsonObject>>,
): Promise<void> {
  await loosen(place, kind);
  for (const [name, spec] of Object.entries(specs))
    await eventually(() => place.api.create(kind, name, { spec }));
  await tighten(place, kind);
}

/** Makes the CRD accept everything; the caller restores it. */
export async function loosen(place: Place, kind: Kind): Promise<void> {
  const cluster = openApi(place.stage.admin);
  const operations = [{ op: 'replace', path: schemaPath, value: anything }];
  await cluster.patch(definitionType, groupResource(kind), operations, { as: 'json' });
}

/** Restores the generated CRD, and waits until the server enforces it. */
export async function tighten(place: Place, kind: Kind): Promise<void> {
  await place.stage.install();
  await eventually(() => refusalOf(place.api.dryRun(kind, 'probe', { spec: 'none' })));
}
