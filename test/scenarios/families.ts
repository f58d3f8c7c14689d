import type { ChildType } from '../../shared/kinds/child-type.ts';
import { deployment, statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { application } from '../../systems/application.ts';
import { database } from '../../systems/database.ts';
import type { Live, Patch } from './api.ts';
import { child, hashLabel } from './applications.ts';
import { base64, claimName, newVolume, secretName } from './databases.ts';
import type { Place } from './place.ts';
import { foreignDeployment, foreignService } from './resources.ts';

/** A kind with all its children, for scenarios that hold for every kind. */
export interface Family {
  readonly kind: Kind;
  /** Name for titles, such as `an Application`. */
  readonly one: string;
  readonly members: readonly Member[];
}

/** A child of the resource `shop`. */
export interface Member {
  readonly type: ChildType;
  readonly name: string;
  /** Names of its labels, apart from those that identify its resource. */
  readonly labels: readonly string[];
  /** A foreign edit of our fields. */
  readonly edit: JsonObject;
  readonly how?: Patch;
  /** A foreign object with its name. */
  readonly foreign: JsonObject;
  /** Kinds of members that are not written while a foreign object has its name. */
  readonly withholds?: readonly string[];
  /** Set if its data is generated once and cannot be recovered automatically. */
  readonly once?: true;
}

const podEdit = (name: string): JsonObject => ({
  spec: { replicas: 3, template: { spec: { containers: [{ name, image: 'evil:1' }] } } },
});
const foreignSecret = { type: 'Opaque', data: { theirs: base64('theirs') } };
const foreignSet = { spec: { ...foreignDeployment().spec, serviceName: 'theirs' } };
const serviceOf = (name: string, labels: readonly string[] = []): Member => ({
  type: service,
  name,
  labels,
  edit: { spec: { selector: { app: 'stolen' } } },
  foreign: foreignService(),
});

export const families: readonly Family[] = [
  {
    kind: application,
    one: 'an Application',
    members: [
      {
        type: secret,
        name: child.secret,
        labels: [],
        edit: { data: { GREETING_MESSAGE: base64('Evil') } },
        foreign: foreignSecret,
        withholds: [deployment.kind],
      },
      {
        type: deployment,
        name: child.deployment,
        labels: ['app.kubernetes.io/version', hashLabel],
        edit: podEdit('shop-microservice'),
        how: { as: 'strategic' },
        foreign: foreignDeployment(),
      },
      serviceOf(child.service),
    ],
  },
  {
    kind: database,
    one: 'a Database',
    members: [
      {
        type: secret,
        name: secretName,
        labels: [],
        edit: { data: { username: base64('evil'), database: null } },
        foreign: foreignSecret,
        withholds: [statefulSet.kind],
        once: true,
      },
      {
        type: statefulSet,
        name: 'shop',
        labels: ['app', 'database'],
        edit: podEdit('postgres'),
        how: { as: 'strategic' },
        foreign: foreignSet,
        withholds: [secret.kind],
      },
      serviceOf('shop', ['app', 'database']),
    ],
  },
];

/** Creates the resource `shop` from the sample of the kind. */
export async function newHead(
  place: Place,
  { kind }: Family,
  metadata: JsonObject = {},
): Promise<Live> {
  if (kind === database) await newVolume(place, claimName);
  return place.api.create(kind, 'shop', { metadata, spec: kind.samples[0]?.spec ?? {} });
}
