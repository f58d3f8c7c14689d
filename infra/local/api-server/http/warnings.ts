const maxCharacters = 4096;
const maxOfOne = 256;

/**
 * Returns the values of the Warning headers for these texts, without duplicates. If they are too long together, all are
 * shortened and the last texts omitted. Non-ASCII characters become their bytes in UTF-8.
 *
 * Source: WithWarningRecorder of k8s.io/apiserver 0.36.
 */
export function warningHeaders(texts: readonly string[]): readonly string[] {
  const printable = [...new Set(texts)].filter((text) => text !== '' && !/\p{Cc}/u.test(text));
  const whole = printable.reduce((sum, text) => sum + [...text].length, 0);
  return (whole <= maxCharacters ? printable : shortened(printable)).map(
    (text) => `299 - ${quoted(text)}`,
  );
}

function shortened(texts: readonly string[]): readonly string[] {
  let left = maxCharacters;
  return texts.flatMap((text) => {
    if (left <= 0) return [];
    const characters = [...text].slice(0, maxOfOne);
    left -= characters.length;
    return [characters.join('')];
  });
}

function quoted(text: string): string {
  const escaped = text.toWellFormed().replaceAll(/["\\]/g, (one) => `\\${one}`);
  return Buffer.from(`"${escaped}"`).toString('latin1');
}
