/** Arguments that hold no blanks, as they are written on a command line. */
export const words = (text: string): readonly string[] => text.split(' ');
