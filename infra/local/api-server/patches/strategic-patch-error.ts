/** A strategic merge patch that contradicts itself or the schema, and the status that answers it. */
export class StrategicPatchError extends Error {
  readonly code: 400 | 422 | 500;

  constructor(message: string, code: 400 | 422 | 500 = 500) {
    super(message);
    this.code = code;
  }
}
