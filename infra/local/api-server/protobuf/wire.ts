/** One field of an encoded message: a number for a varint, bytes for a length-delimited field. */
export interface WireField {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

/** A message that ends too early or has an encoding that Kubernetes does not use. */
export class WireError extends Error {}

/** Reads the fields of a protobuf message in order. */
export function wireFields(bytes: Uint8Array): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 63n) throw new WireError('unexpected end of message');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new WireError('unexpected end of message');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = varint();
    const number = Number(key >> 3n);
    const kind = Number(key & 7n);
    if (kind === 0) fields.push({ number, value: varint() });
    else if (kind === 1) fields.push({ number, value: take(8) });
    else if (kind === 2) fields.push({ number, value: take(Number(varint())) });
    else if (kind === 5) fields.push({ number, value: take(4) });
    else throw new WireError(`wire type ${kind} is not supported`);
  }
  return fields;
}
