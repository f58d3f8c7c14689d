const MOST_CHARACTERS = 4096;
const MOST_OF_ONE = 256;

/**
 * The values of the Warning headers for these texts: each once, all of them shortened where they
 * would be too long together, the last left out.
 *
 * Source: WithWarningRecorder of k8s.io/apiserver 0.36. A header is bytes, so what is beyond ASCII is
 * given as its bytes in UTF-8.
 */
export const warningHeaders = (texts: readonly string[]): readonly string[] => {
  const tellable = [...new Set(texts)].filter((text) => text !== '' && !/\p{Cc}/u.test(text));
  const whole = tellable.reduce((sum, text) => sum + [...text].length, 0);
  return (whole <= MOST_CHARACTERS ? tellable : shortened(tellable)).map(
    (text) => `299 - ${quoted(text)}`,
  );
};

const shortened = (texts: readonly string[]): readonly string[] => {
  let left = MOST_CHARACTERS;
  return texts.flatMap((text) => {
    if (left <= 0) return [];
    const characters = [...text].slice(0, MOST_OF_ONE);
    left -= characters.length;
    return [characters.join('')];
  });
};

const quoted = (text: string): string => {
  const escaped = text.toWellFormed().replaceAll(/["\\]/g, (one) => `\\${one}`);
  return Buffer.from(`"${escaped}"`).toString('latin1');
};
