/** A recording is incomplete or cannot be replayed. The message names the recording, the reason and the remedy. */
export class RecordingError extends Error {
  override readonly name: string = 'RecordingError';
}

/** A file, directory or bucket cannot be read, or has no suitable recording. */
export class UnreadableRecordingError extends RecordingError {
  override readonly name = 'UnreadableRecordingError';
}
