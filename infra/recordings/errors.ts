/** A recording is incomplete or cannot be replayed. The message names the recording, the reason and the remedy. */
export class RecordingError extends Error {
  override readonly name: string = 'RecordingError';
}

/** A file or directory cannot be read. */
export class UnreadableRecordingError extends RecordingError {
  override readonly name = 'UnreadableRecordingError';
}
