import { isFields, type JsonFields } from '../../json.ts';

const forms = ['keys', 'keyPair', 'certificate'];
const algorithms: readonly unknown[] = [undefined, 'ed25519', 'ecdsa', 'rsa'];
const maxNames = 100;
const maxDays = 36_500;

/** Finds what is wrong with `keys`, `keyPair` or `certificate` in `generated`. */
export function generatorProblem(generated: JsonFields): string | undefined {
  const { keys, keyPair, certificate, rotation } = generated;
  if (forms.filter((form) => generated[form] !== undefined).length !== 1)
    return 'generated must have one of keys, keyPair and certificate';
  if (rotation !== undefined && typeof rotation !== 'string')
    return 'generated.rotation must be a string';
  if (keyPair !== undefined) return keyPairProblem(keyPair);
  if (certificate !== undefined) return certificateProblem(certificate);
  return isTexts(keys) ? undefined : 'generated.keys must be a list of strings';
}

function keyPairProblem(value: unknown): string | undefined {
  const { privateKey, publicKey, algorithm } = isFields(value) ? value : {};
  if (!isTexts([privateKey, publicKey]) || privateKey === publicKey)
    return 'generated.keyPair must have privateKey and publicKey, two keys of the data';
  return algorithms.includes(algorithm)
    ? undefined
    : 'generated.keyPair.algorithm must be "ed25519", "ecdsa" or "rsa"';
}

function certificateProblem(value: unknown): string | undefined {
  const { issuer, commonName, dnsNames = [], days = 1 } = isFields(value) ? value : {};
  if (issuer !== undefined && !isText(issuer, 253))
    return 'generated.certificate.issuer must be the name of a Secret';
  if (commonName !== undefined && !isText(commonName, 64))
    return 'generated.certificate.commonName must have 1 to 64 characters';
  if (!isTexts(dnsNames) || dnsNames.length > maxNames)
    return `generated.certificate.dnsNames must be a list of at most ${maxNames} host names`;
  if (commonName === undefined && !isText(dnsNames[0], 64))
    return 'generated.certificate must have a commonName, unless the first of dnsNames is as short as one: at most 64 characters';
  return Number.isSafeInteger(days) && Number(days) >= 1 && Number(days) <= maxDays
    ? undefined
    : `generated.certificate.days must be an integer from 1 to ${maxDays}`;
}

const isText = (value: unknown, longest: number): boolean =>
  typeof value === 'string' && value !== '' && value.length <= longest;

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => isText(one, 253));
