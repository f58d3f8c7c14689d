import { textAt } from '../json/value.ts';
import { dnsSubdomain } from '../objects/names.ts';
import type { KubeObject } from '../objects/object.ts';
import { agePrinter } from '../printing/printer.ts';
import type { Strategy } from '../resources/strategy.ts';
import type { KindEntry } from './kind.ts';

/** Keeps only the names of Secrets, even if an item has none. */
function keepNames(account: KubeObject): void {
  const { secrets } = account;
  if (!Array.isArray(secrets)) return;
  account.secrets = secrets.map((one) => {
    const name = textAt(one, 'name');
    return name === '' ? {} : { name };
  });
}

const serviceAccount: Strategy = {
  nameRule: dnsSubdomain,
  prepareForCreate: keepNames,
  prepareForUpdate: keepNames,
  allowUnconditionalUpdate: true,
  returnDeletedObject: true,
};

export const serviceAccountKind: KindEntry = {
  group: '',
  kind: 'ServiceAccount',
  strategy: serviceAccount,
  printer: agePrinter,
};
