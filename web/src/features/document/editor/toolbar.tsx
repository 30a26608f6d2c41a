import { Toolbar } from "react-aria-components";
import { IconButton } from "../../../kit/button.tsx";
import { Search } from "../../../kit/icons.tsx";
import { keyName } from "../../../kit/key-name.ts";
import styles from "../editor.module.css";
import { ScanText } from "../icons.ts";
import { FORMATS, type Format } from "./formats.ts";

type Props = {
  hasFormats: boolean;
  isFocusMode: boolean;
  onFormat: (format: Format) => void;
  onFind: () => void;
  onFocusMode: () => void;
};

export const EditorToolbar = ({ hasFormats, isFocusMode, onFormat, onFind, onFocusMode }: Props) => (
  <Toolbar aria-label="Format" className={styles.toolbar ?? ""}>
    {hasFormats && (
      <div className={styles.formats}>
        {FORMATS.map((format) => (
          <IconButton
            key={format.name}
            label={format.name}
            {...(format.key && { shortcut: keyName(format.key) })}
            onPress={() => onFormat(format)}
          >
            <format.icon aria-hidden="true" />
          </IconButton>
        ))}
      </div>
    )}
    <IconButton label="Find and replace" shortcut={keyName("Mod-f")} onPress={onFind}>
      <Search aria-hidden="true" />
    </IconButton>
    <IconButton
      label={isFocusMode ? "Exit focus mode" : "Focus on one paragraph"}
      shortcut={keyName("Mod-.")}
      onPress={onFocusMode}
    >
      <ScanText aria-hidden="true" />
    </IconButton>
  </Toolbar>
);
